//! The material of the scene: one table of paints, and a shader for each kind of surface.
//!
//! The picture needs matte colours that meet their swatches exactly, so it has shaders of its own instead of the
//! physically based one; they cost a fraction of it, which phones feel.

use bevy::asset::uuid_handle;
use bevy::mesh::{MeshVertexAttribute, MeshVertexBufferLayoutRef, VertexFormat};
use bevy::pbr::{MaterialPipeline, MaterialPipelineKey};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, RenderPipelineDescriptor, ShaderType, SpecializedMeshPipelineError,
};
use bevy::shader::{ShaderDefVal, ShaderRef};
use bevy::window::PrimaryWindow;

use crate::app::AppSystems;
use crate::theme::Theme;
use crate::theme::palette::{HUES, ambience, linear, table};

const PAINTS: Handle<Shader> = uuid_handle!("a3f1e0c2-6d57-4f0e-9a55-0d1f6b7c2e01");
const SOLID: Handle<Shader> = uuid_handle!("a3f1e0c2-6d57-4f0e-9a55-0d1f6b7c2e02");
const FLOOR: Handle<Shader> = uuid_handle!("a3f1e0c2-6d57-4f0e-9a55-0d1f6b7c2e03");
const LINE: Handle<Shader> = uuid_handle!("a3f1e0c2-6d57-4f0e-9a55-0d1f6b7c2e04");
const GLOW: Handle<Shader> = uuid_handle!("a3f1e0c2-6d57-4f0e-9a55-0d1f6b7c2e05");
const CURTAIN: Handle<Shader> = uuid_handle!("a3f1e0c2-6d57-4f0e-9a55-0d1f6b7c2e06");

/// The other end of a line's segment.
pub(super) const LINE_OTHER: MeshVertexAttribute =
    MeshVertexAttribute::new("LineOther", 0x51_17C4_0001, VertexFormat::Float32x3);
/// Side, half width in logical pixels, hue, opacity of a line.
pub(super) const LINE_LOOK: MeshVertexAttribute =
    MeshVertexAttribute::new("LineLook", 0x51_17C4_0002, VertexFormat::Float32x4);
/// Metres from the begin of a line, period of its dashes, share of a cap.
pub(super) const LINE_DASH: MeshVertexAttribute =
    MeshVertexAttribute::new("LineDash", 0x51_17C4_0003, VertexFormat::Float32x3);
/// Corner, radius, and hue with strength of a halo.
pub(super) const GLOW_LOOK: MeshVertexAttribute =
    MeshVertexAttribute::new("GlowLook", 0x51_17C4_0004, VertexFormat::Float32x4);

/// How a mesh is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Surface {
    /// Matte and opaque.
    Solid,
    /// Matte and see-through.
    Ghost,
    /// The floor.
    Floor,
    /// Lines of constant width.
    Line,
    /// Halos.
    Glow,
    /// The curtain of a partition.
    Curtain,
}

/// All surfaces, in the order of their materials in [`Surfaces`].
const ALL: [Surface; 6] =
    [Surface::Solid, Surface::Ghost, Surface::Floor, Surface::Line, Surface::Glow, Surface::Curtain];

/// The table that all shaders share.
#[derive(Clone, Copy, Debug, PartialEq, ShaderType)]
struct Paints {
    colour: [Vec4; HUES],
    part: [Vec4; HUES],
    ambient: Vec4,
    key: Vec4,
    grid: Vec4,
    screen: Vec4,
    pools: [Vec4; 8],
}

impl Paints {
    fn new(theme: Theme, pixels: f32) -> Self {
        let table = table(theme);
        let ambience = ambience(theme);
        let mut pools = [Vec4::ZERO; 8];
        for (i, pool) in ambience.pools.iter().enumerate().take(4) {
            pools[2 * i] = Vec4::new(pool.at.0, pool.at.1, pool.radius.0, pool.radius.1);
            pools[2 * i + 1] = linear(pool.rgb).extend(pool.alpha);
        }
        Self {
            colour: table.map(|paint| paint.linear()),
            part: table.map(|paint| Vec4::new(paint.lit, paint.glow, 0.0, 0.0)),
            ambient: (linear(ambience.ambient.0) * ambience.ambient.1).extend(0.0),
            key: (linear(ambience.key.0) * ambience.key.1).extend(ambience.shadow),
            grid: linear(ambience.grid.0).extend(ambience.grid.1),
            screen: Vec4::new(pixels, f32::from(u8::from(ambience.adds_light)), 0.0, 0.0),
            pools,
        }
    }
}

/// The material of one kind of surface.
#[derive(Asset, AsBindGroup, TypePath, Clone, Debug)]
#[bind_group_data(Surface)]
pub(crate) struct StageMaterial {
    #[uniform(0)]
    paints: Paints,
    surface: Surface,
}

impl From<&StageMaterial> for Surface {
    fn from(material: &StageMaterial) -> Self {
        material.surface
    }
}

impl Material for StageMaterial {
    fn fragment_shader() -> ShaderRef {
        SOLID.into()
    }

    fn alpha_mode(&self) -> AlphaMode {
        match self.surface {
            Surface::Solid | Surface::Floor => AlphaMode::Opaque,
            Surface::Ghost | Surface::Line | Surface::Curtain => AlphaMode::Blend,
            Surface::Glow => AlphaMode::Add,
        }
    }

    /// All meshes lie at the origin, so this alone orders the see-through ones: the smaller, the earlier.
    fn depth_bias(&self) -> f32 {
        match self.surface {
            Surface::Solid | Surface::Floor => 0.0,
            Surface::Ghost => 1.0,
            Surface::Curtain => 2.0,
            Surface::Line => 3.0,
            Surface::Glow => 4.0,
        }
    }

    fn specialize(
        _pipeline: &MaterialPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        layout: &MeshVertexBufferLayoutRef,
        key: MaterialPipelineKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        let hues = ShaderDefVal::UInt("HUES".into(), HUES as u32);
        descriptor.vertex.shader_defs.push(hues.clone());
        let fragment = descriptor.fragment.as_mut();
        let Some(fragment) = fragment else { return Ok(()) };
        fragment.shader_defs.push(hues);
        match key.bind_group_data {
            Surface::Solid | Surface::Ghost => return Ok(()),
            Surface::Floor => fragment.shader = FLOOR,
            Surface::Curtain => fragment.shader = CURTAIN,
            Surface::Line => {
                fragment.shader = LINE;
                descriptor.vertex.shader = LINE;
                descriptor.vertex.buffers = vec![layout.0.get_layout(&[
                    Mesh::ATTRIBUTE_POSITION.at_shader_location(0),
                    LINE_OTHER.at_shader_location(1),
                    LINE_LOOK.at_shader_location(2),
                    LINE_DASH.at_shader_location(3),
                ])?];
            }
            Surface::Glow => {
                fragment.shader = GLOW;
                descriptor.vertex.shader = GLOW;
                descriptor.vertex.buffers = vec![layout.0.get_layout(&[
                    Mesh::ATTRIBUTE_POSITION.at_shader_location(0),
                    GLOW_LOOK.at_shader_location(1),
                ])?];
            }
        }
        descriptor.primitive.cull_mode = None;
        Ok(())
    }
}

/// The materials, one for each kind of surface.
#[derive(Resource)]
pub(crate) struct Surfaces([Handle<StageMaterial>; ALL.len()]);

impl Surfaces {
    /// The material of a surface.
    pub(crate) fn of(&self, surface: Surface) -> Handle<StageMaterial> {
        self.0[surface as usize].clone()
    }
}

pub(crate) fn plugin(app: &mut App) {
    app.add_plugins(MaterialPlugin::<StageMaterial>::default());
    let mut shaders = app.world_mut().resource_mut::<Assets<Shader>>();
    for (handle, source, name) in [
        (PAINTS, include_str!("shaders/paints.wgsl"), "switchyard/paints.wgsl"),
        (SOLID, include_str!("shaders/solid.wgsl"), "switchyard/solid.wgsl"),
        (FLOOR, include_str!("shaders/floor.wgsl"), "switchyard/floor.wgsl"),
        (LINE, include_str!("shaders/line.wgsl"), "switchyard/line.wgsl"),
        (GLOW, include_str!("shaders/glow.wgsl"), "switchyard/glow.wgsl"),
        (CURTAIN, include_str!("shaders/curtain.wgsl"), "switchyard/curtain.wgsl"),
    ] {
        // Handles of our own making are always vacant, so this can't fail.
        let _ = shaders.insert(handle.id(), Shader::from_wgsl(source, name));
    }
    let paints = Paints::new(Theme::default(), 1.0);
    let mut materials = app.world_mut().resource_mut::<Assets<StageMaterial>>();
    let surfaces = ALL.map(|surface| materials.add(StageMaterial { paints, surface }));
    app.insert_resource(Surfaces(surfaces));
    app.add_systems(Update, repaint.in_set(AppSystems::Mirror));
}

/// Rewrites the tables when the theme or the density of the screen changes.
fn repaint(
    theme: Res<Theme>,
    window: Single<&Window, With<PrimaryWindow>>,
    surfaces: Res<Surfaces>,
    mut materials: ResMut<Assets<StageMaterial>>,
    mut shown: Local<Option<(Theme, f32)>>,
) {
    let now = (*theme, window.scale_factor());
    if *shown == Some(now) {
        return;
    }
    *shown = Some(now);
    let paints = Paints::new(now.0, now.1);
    for handle in &surfaces.0 {
        if let Some(mut material) = materials.get_mut(handle) {
            material.paints = paints;
        }
    }
}
