//! What a part of the picture consists of, before it becomes meshes: volumes, lines, halos.
//!
//! The scene is drawn in zones (a rack, the control plane, the lane ...). A zone that changed is built anew as
//! plain vertex lists; one that did not is not touched. A zone costs one draw call for each kind of surface.

pub(crate) mod line;
pub(crate) mod solid;

use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::{NoAutoAabb, NoFrustumCulling};
use bevy::ecs::system::SystemParam;
use bevy::light::{NotShadowCaster, NotShadowReceiver};
use bevy::mesh::PrimitiveTopology;
use bevy::prelude::*;

use self::line::Lines;
use self::solid::Solid;
use super::surface::{GLOW_LOOK, StageMaterial, Surface, Surfaces};
use crate::theme::palette::Hue;

/// The parts of a zone.
#[derive(Default)]
pub(crate) struct Ink {
    /// Opaque volumes.
    pub solid: Solid,
    /// See-through volumes.
    pub ghost: Solid,
    /// Lines.
    pub line: Lines,
    /// Halos.
    pub glow: Glows,
}

/// Halos: soft discs that face the camera.
#[derive(Default)]
pub(crate) struct Glows(Vec<(Vec3, f32, Hue, f32)>);

impl Glows {
    /// A halo of a radius in metres; `strength` below 2.
    pub(crate) fn halo(&mut self, at: Vec3, radius: f32, hue: Hue, strength: f32) {
        self.0.push((at, radius, hue, strength));
    }

    fn mesh(&self) -> Option<Mesh> {
        if self.0.is_empty() {
            return None;
        }
        let mut positions = Vec::new();
        let mut looks = Vec::new();
        let mut indices = Vec::new();
        for &(at, radius, hue, strength) in &self.0 {
            let first = positions.len() as u32;
            let look = hue.index() as f32 + (strength / 2.0).clamp(0.0, 0.99);
            for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                positions.push(at);
                looks.push([x, y, radius, look]);
            }
            indices.extend([0, 1, 2, 0, 2, 3].map(|i| first + i));
        }
        let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
            .with_inserted_attribute(GLOW_LOOK, looks)
            .with_inserted_indices(bevy::mesh::Indices::U32(indices));
        Some(mesh)
    }
}

/// The entities and meshes of a zone, one for each kind of surface that it ever needed.
#[derive(Default, Debug)]
pub(crate) struct Zone {
    layers: [Option<Layer>; 4],
}

#[derive(Debug)]
struct Layer {
    entity: Entity,
    mesh: Handle<Mesh>,
    shown: bool,
}

/// Puts ink onto the stage.
#[derive(SystemParam)]
pub(crate) struct Press<'w, 's> {
    commands: Commands<'w, 's>,
    meshes: ResMut<'w, Assets<Mesh>>,
    surfaces: Res<'w, Surfaces>,
}

impl Press<'_, '_> {
    /// Replaces what a zone shows.
    pub(crate) fn print(&mut self, zone: &mut Zone, ink: &Ink) {
        let layers = [
            (Surface::Solid, ink.solid.mesh()),
            (Surface::Ghost, ink.ghost.mesh()),
            (Surface::Line, ink.line.mesh()),
            (Surface::Glow, ink.glow.mesh()),
        ];
        for (slot, (surface, mesh)) in zone.layers.iter_mut().zip(layers) {
            match (slot.as_mut(), mesh) {
                (None, None) => {}
                (None, Some(mesh)) => {
                    let mesh = self.meshes.add(mesh);
                    let entity = self.spawn(surface, mesh.clone());
                    *slot = Some(Layer { entity, mesh, shown: true });
                }
                (Some(layer), None) => self.show(layer, false),
                (Some(layer), Some(mesh)) => {
                    // The handle is ours, so its place is never vacant.
                    let _ = self.meshes.insert(layer.mesh.id(), mesh);
                    self.show(layer, true);
                }
            }
        }
    }

    /// Removes a zone.
    pub(crate) fn remove(&mut self, zone: Zone) {
        for layer in zone.layers.into_iter().flatten() {
            self.commands.entity(layer.entity).despawn();
        }
    }

    /// Puts a single mesh onto the stage.
    pub(crate) fn spawn(&mut self, surface: Surface, mesh: Handle<Mesh>) -> Entity {
        let material: MeshMaterial3d<StageMaterial> = MeshMaterial3d(self.surfaces.of(surface));
        let mut entity = self.commands.spawn((Mesh3d(mesh), material, NoFrustumCulling, NoAutoAabb));
        if surface != Surface::Solid {
            entity.insert(NotShadowCaster);
        }
        if !matches!(surface, Surface::Solid | Surface::Floor) {
            entity.insert(NotShadowReceiver);
        }
        entity.id()
    }

    /// Adds a mesh of one's own making.
    pub(crate) fn add(&mut self, mesh: Mesh) -> Handle<Mesh> {
        self.meshes.add(mesh)
    }

    /// Takes an entity off the stage.
    pub(crate) fn despawn(&mut self, entity: Entity) {
        self.commands.entity(entity).despawn();
    }

    fn show(&mut self, layer: &mut Layer, show: bool) {
        if layer.shown != show {
            layer.shown = show;
            let visibility = if show { Visibility::Inherited } else { Visibility::Hidden };
            self.commands.entity(layer.entity).insert(visibility);
        }
    }
}
