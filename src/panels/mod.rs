//! Everything flat: bars, cards, the dock, dialogs, and the scene's words.
//!
//! A frame passes through here three times. *Input*: the wishes of the last drawing are sent. *Mirror*: views are made
//! of the world, the costly ones only for the open tab and not more often than anybody can read. Then egui draws them,
//! perhaps twice, and what is left to the scene is told to the camera.

mod card;
mod charts;
mod dock;
mod events;
mod help;
mod import;
mod inspector;
mod invariants;
mod labels;
mod legend;
mod marks;
mod mirror;
mod outbox;
mod page;
mod policy;
mod queue;
mod raft;
mod speed;
mod toast;
mod topbar;
mod widgets;

use bevy::camera::CameraUpdateSystems;
use bevy::input::touch::{Touch, Touches};
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::{EguiContexts, EguiPlugin, EguiPostUpdateSet, EguiPrimaryContextPass, egui};
use switchyard_view::intent::Intent;
use switchyard_view::page::PageState;
use switchyard_view::places::{self, Width};
use switchyard_view::resolve::Action;

use self::labels::{ScreenLabel, paint_labels, paint_tag};
use self::mirror::{HoverTag, Shown};
use self::outbox::Outbox;
use self::page::{page_ui, plain};
use self::toast::Toast;
use self::widgets::{medium_font, strong_font};
use crate::app::AppSystems;
use crate::camera::{FreeRect, Owned};
use crate::driver::{Notice, PageDeed, Simulation, Wish};
use crate::scene::{Labels, Selected};
use crate::theme::ink::Ink;
use crate::theme::{Theme, fonts, style};

/// What of the page is open.
#[derive(Resource, Default)]
struct Page(PageState);

/// Wishes of the last drawing.
#[derive(Resource, Default)]
struct Wishes(Outbox);

/// What just happened.
#[derive(Resource, Default)]
struct News(Toast);

/// The page's size, in logical pixels, as egui last drew it.
#[derive(Resource, Default)]
struct PageRect(places::Rect);

pub(crate) fn plugin(app: &mut App) {
    app.add_plugins(EguiPlugin::default());
    app.init_resource::<Page>()
        .init_resource::<Wishes>()
        .init_resource::<News>()
        .init_resource::<Shown>()
        .init_resource::<PageRect>();
    app.add_systems(Update, send_wishes.in_set(AppSystems::Input));
    app.add_systems(
        Update,
        (carry_out, mirror::refresh, mirror::tell_news).chain().in_set(AppSystems::Mirror),
    );
    app.add_systems(Update, own_input.before(AppSystems::Input));
    app.add_systems(EguiPrimaryContextPass, draw);
    // The scene's words are painted where this frame's camera sees their places.
    let after = (TransformSystems::Propagate, CameraUpdateSystems);
    app.configure_sets(PostUpdate, EguiPostUpdateSet::EndPass.after(after.0).after(after.1));
}

fn send_wishes(mut wishes: ResMut<Wishes>, mut out: MessageWriter<Wish>) {
    for intent in wishes.0.take() {
        out.write(Wish(intent));
    }
}

/// Carries out what concerns the page alone, and says why a wish was not granted.
fn carry_out(
    mut deeds: MessageReader<PageDeed>,
    mut notices: MessageReader<Notice>,
    simulation: Res<Simulation>,
    selected: Res<Selected>,
    rect: Res<PageRect>,
    time: Res<Time<Real>>,
    mut theme: ResMut<Theme>,
    mut page: ResMut<Page>,
    mut news: ResMut<News>,
    mut wishes: MessageWriter<Wish>,
) {
    for PageDeed(action) in deeds.read() {
        match action {
            Action::ToggleTheme => *theme = theme.other(),
            action if page.0.carry_out(action, rect.0) => {}
            Action::Dismiss => {
                let reported = simulation.import.is_some();
                let next = if reported { Intent::CloseImport } else { Intent::Select(None) };
                wishes.write(Wish(next));
            }
            _ => {}
        }
    }
    if selected.is_changed() && selected.0.is_some() {
        page.0.selected(rect.0);
    }
    for Notice(words) in notices.read() {
        news.0.answer(words.clone(), time.elapsed_secs_f64());
    }
}

/// Tells the camera and the keyboard which part of this frame's input is not theirs. It asks for the places of pointer and
/// fingers as they are now: a finger gives no notice before it touches a panel.
fn own_input(
    mut contexts: EguiContexts,
    window: Single<&Window, With<PrimaryWindow>>,
    touches: Res<Touches>,
    page: Res<Page>,
    mut owned: ResMut<Owned>,
) -> Result {
    let ctx = contexts.ctx_mut()?;
    let fingers = touches.iter().chain(touches.iter_just_released()).map(Touch::position);
    let on_panel = |at: Vec2| {
        let layer = ctx.layer_id_at(egui::pos2(at.x, at.y));
        layer.is_some_and(|layer| layer.order != egui::Order::Background)
    };
    let pointer = window.cursor_position().into_iter().chain(fingers).any(on_panel)
        || page.0.policies()
        || ctx.egui_is_using_pointer()
        || egui::Popup::is_any_open(ctx);
    let keyboard = ctx.egui_wants_keyboard_input();
    owned.set_if_neq(Owned { pointer, keyboard });
    Ok(())
}

/// How the context was set up last: nothing yet, or theme and room for fingers.
#[derive(Default, PartialEq, Clone, Copy)]
struct SetUp(Option<(Theme, bool)>);

/// Fonts and styles. Tells whether words can be drawn: fonts count from the next pass on.
fn set_up(ctx: &egui::Context, theme: Theme, last: &mut SetUp) -> bool {
    let roomy = Width::of(ctx.content_rect().width()) == Width::Narrow;
    let now = SetUp(Some((theme, roomy)));
    let first = last.0.is_none();
    if first {
        ctx.set_fonts(fonts::definitions());
    }
    if *last != now {
        ctx.set_style_of(egui::Theme::Dark, style::style(Theme::Dark, roomy));
        ctx.set_style_of(egui::Theme::Light, style::style(Theme::Light, roomy));
        ctx.set_theme(if theme == Theme::Dark { egui::Theme::Dark } else { egui::Theme::Light });
        *last = now;
    }
    !first
}

fn draw(
    mut contexts: EguiContexts,
    mut set: Local<SetUp>,
    mut warm: Local<bool>,
    theme: Res<Theme>,
    shown: Res<Shown>,
    news: Res<News>,
    time: Res<Time<Real>>,
    scene_labels: Res<Labels>,
    eye: Single<(&Camera, &GlobalTransform)>,
    mut wishes: ResMut<Wishes>,
    mut free_rect: ResMut<FreeRect>,
    mut page_rect: ResMut<PageRect>,
) -> Result {
    let ctx = contexts.ctx_mut()?;
    if !set_up(ctx, *theme, &mut set) {
        return Ok(());
    }
    // A frame may be drawn twice; only the last drawing counts.
    wishes.0.clear();
    page_rect.0 = plain(ctx.content_rect());
    if !std::mem::replace(&mut *warm, true) {
        draw_digits(ctx);
    }
    let Some(view) = &shown.page else { return Ok(()) };
    let ink = Ink::of_context(ctx);
    let painter = ctx.layer_painter(egui::LayerId::background());
    paint_labels(&painter, &on_screen(&scene_labels, *eye), ink);
    let free = page_ui(ctx, view, &news.0, time.elapsed_secs_f64(), &mut wishes.0);
    if let Some(HoverTag { title, line }) = &shown.hover
        && let Some(pointer) = ctx.pointer_latest_pos().filter(|at| free.contains(*at))
    {
        paint_tag(&painter, pointer, free, title, line, ink);
    }
    let corner = |at: egui::Pos2| Vec2::new(at.x, at.y);
    let free = FreeRect(Some(Rect::from_corners(corner(free.min), corner(free.max))));
    free_rect.set_if_neq(free);
    Ok(())
}

/// Has all digits of the running figures ready: a letter that is drawn for the first time shows a frame late, and egui draws
/// it anew for each fraction of a pixel that it may stand at. Digits are of one width, so one text for each is enough.
fn draw_digits(ctx: &egui::Context) {
    let fonts = [medium_font(18.0), medium_font(16.0), strong_font(15.0), medium_font(11.5)];
    ctx.fonts_mut(|all| {
        for (font, d) in fonts.iter().flat_map(|font| ('0'..='9').map(move |digit| (font, digit))) {
            let texts = [
                format!("{d}{d}:{d}{d}:{d}{d}.{d}{d}{d}"),
                format!("{d}.{d} %"),
                format!("{d}{d}.{d} %"),
                format!("{d} / {d} / {d}"),
                format!("reached {d}{d}×"),
                format!("{d}{d} / {d}{d} / {d}{d}"),
            ];
            for text in texts {
                all.layout_no_wrap(text, font.clone(), egui::Color32::PLACEHOLDER);
            }
        }
    });
}

/// The scene's words where the camera sees their places.
fn on_screen(labels: &Labels, (camera, transform): (&Camera, &GlobalTransform)) -> Vec<ScreenLabel> {
    let place = |at: Vec3| camera.world_to_viewport(transform, at).ok();
    labels
        .0
        .iter()
        .filter_map(|label| {
            let at = place(label.at)?;
            Some(ScreenLabel { at: egui::pos2(at.x, at.y), words: label.text.clone(), kind: label.kind })
        })
        .collect()
}
