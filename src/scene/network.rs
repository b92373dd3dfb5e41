//! Ports of the switches and the cables from spine to leaf: the brighter, the more traffic; cut ones hang loose.

use bevy::prelude::*;
use switchyard_view::layout::measures::{LEAF, SPINE};
use switchyard_view::layout::paths::cable;
use switchyard_view::layout::racks::{leaf_at, rack_places, spine_poses};
use switchyard_view::stage::Stage;

use super::StageNow;
use super::ink::line::Pen;
use super::ink::solid::Frame;
use super::ink::{Ink, Press, Zone};
use crate::app::AppSystems;
use crate::theme::palette::Hue;

/// Ports on the front of a leaf switch.
const LEAF_PORTS: usize = 10;
/// Ports on the front of a spine switch.
const SPINE_PORTS: usize = 16;

pub(super) fn plugin(app: &mut App) {
    app.add_systems(Update, draw.in_set(AppSystems::Mirror).run_if(resource_changed::<StageNow>));
}

/// What the picture depends on: traffic in sixteenths of each switch, and who is cut off.
#[derive(PartialEq, Default)]
struct Shown {
    leaves: Vec<(u8, bool)>,
    spines: Vec<u8>,
}

impl Shown {
    fn of(stage: &Stage) -> Self {
        let step = |traffic: f32| (traffic.clamp(0.0, 1.0) * 16.0).round() as u8;
        let cut = stage.is_cut();
        Self {
            leaves: stage.racks.iter().map(|rack| (step(rack.traffic), cut && rack.is_apart())).collect(),
            spines: stage.spines.iter().map(|&traffic| step(traffic)).collect(),
        }
    }
}

fn draw(stage: Res<StageNow>, mut press: Press, mut zone: Local<Zone>, mut shown: Local<Option<Shown>>) {
    let now = Shown::of(&stage.0);
    if shown.as_ref() == Some(&now) {
        return;
    }
    let mut ink = Ink::default();
    let spines = spine_poses(now.spines.len());
    for (pose, &traffic) in spines.iter().zip(&now.spines) {
        ports(&mut ink, &Frame::from(*pose), SPINE, SPINE_PORTS, traffic);
    }
    for (place, &(traffic, cut)) in rack_places(now.leaves.len()).iter().zip(&now.leaves) {
        let leaf = Frame::from(place.pose).moved(leaf_at());
        ports(&mut ink, &leaf, LEAF, LEAF_PORTS, traffic);
        let socket = leaf.point(Vec3::new(0.0, LEAF.y, 0.0));
        for (pose, &carried) in spines.iter().zip(&now.spines) {
            let across = (place.angle * 1.6).clamp(-0.48, 0.48);
            let plug = Frame::from(*pose).point(Vec3::new(across * SPINE.x, 0.0, SPINE.z * 0.3));
            strand(&mut ink, plug, socket, traffic.min(carried), cut);
        }
    }
    press.print(&mut zone, &ink);
    *shown = Some(now);
}

/// Lit and dark ports on the front of a switch.
fn ports(ink: &mut Ink, frame: &Frame, size: Vec3, count: usize, traffic: u8) {
    let pitch = size.x * 0.74 / count as f32;
    let lit = (usize::from(traffic) * count).div_ceil(16);
    for i in 0..count {
        let x = (i as f32 - (count - 1) as f32 / 2.0) * pitch;
        let at = frame.moved(Vec3::new(x, size.y * 0.36, size.z / 2.0));
        let hue = if i < lit { Hue::PortLit } else { Hue::PortDark };
        ink.solid.block(&at, Vec3::new(pitch * 0.55, size.y * 0.26, 0.012), 0.0, hue);
    }
}

/// One cable.
fn strand(ink: &mut Ink, plug: Vec3, socket: Vec3, traffic: u8, cut: bool) {
    let points = cable(plug, socket, 14);
    if cut {
        let loose = Pen::new(Hue::Bad, 1.8);
        let half = points.len() / 2;
        ink.line.path(&points[..half - 1], loose);
        ink.line.path(&points[half + 2..], loose);
        return;
    }
    ink.line.path(&points, Pen::new(Hue::Cable, 1.3).alpha(0.75));
    if traffic > 0 {
        let share = f32::from(traffic) / 16.0;
        ink.line.path(&points, Pen::new(Hue::CableBusy, 1.6).alpha(share * share * 0.9));
    }
}
