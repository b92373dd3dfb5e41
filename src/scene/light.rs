//! The one light of the scene, with its soft shadow.

use bevy::light::{CascadeShadowConfig, CascadeShadowConfigBuilder, DirectionalLightShadowMap};
use bevy::prelude::*;

use crate::app::AppSystems;
use crate::camera::Orbit;

/// Where the light shines from, and to.
const FROM: Vec3 = Vec3::new(-6.5, 11.0, 5.5);
const TO: Vec3 = Vec3::new(0.0, 0.0, -1.0);

pub(super) fn plugin(app: &mut App) {
    app.insert_resource(DirectionalLightShadowMap { size: 2048 });
    app.add_systems(Startup, place);
    app.add_systems(Update, follow.after(AppSystems::Present));
}

fn place(mut commands: Commands) {
    commands.spawn((
        // Its strength and colour are the paints' matter; here it only gives direction and shadow.
        DirectionalLight {
            illuminance: 1000.0,
            shadow_maps_enabled: true,
            shadow_depth_bias: 0.02,
            shadow_normal_bias: 1.2,
            ..default()
        },
        Transform::from_translation(FROM).looking_at(TO, Vec3::Y),
        cascade(28.0),
    ));
}

/// The slice of the view that gets shadows: about the camera's target.
fn cascade(distance: f32) -> CascadeShadowConfig {
    CascadeShadowConfigBuilder {
        num_cascades: 1,
        minimum_distance: (distance - 10.0).max(0.5),
        maximum_distance: distance + 12.0,
        ..default()
    }
    .build()
}

/// Keeps the slice about the target when the camera comes nearer or goes.
fn follow(
    orbit: Single<&Orbit>,
    mut light: Single<&mut CascadeShadowConfig, With<DirectionalLight>>,
    mut at: Local<f32>,
) {
    let distance = orbit.distance();
    if (*at - distance).abs() > 0.02 * distance {
        *at = distance;
        **light = cascade(distance);
    }
}
