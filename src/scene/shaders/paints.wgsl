// The table of paints, and how a matte surface takes the light of the scene.
#define_import_path switchyard::paints

#import bevy_pbr::{
    mesh_view_bindings::{view, lights, fog},
    mesh_view_types::DIRECTIONAL_LIGHT_FLAGS_SHADOWS_ENABLED_BIT,
    shadows,
}

struct Paints {
    // rgb in linear light, opacity
    colour: array<vec4<f32>, #{HUES}>,
    // lit share, glowing share
    part: array<vec4<f32>, #{HUES}>,
    // rgb irradiance
    ambient: vec4<f32>,
    // rgb irradiance, share of it that a shadow takes
    key: vec4<f32>,
    // rgb and opacity of the floor's grid
    grid: vec4<f32>,
    // pixels per logical pixel; 1 if light adds, 0 if it covers
    screen: vec4<f32>,
    // middle and radii (x, z), then rgb and strength, four times
    pools: array<vec4<f32>, 8>,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<uniform> paints: Paints;

// Share of the directional light that reaches a point.
fn lit_share(world_position: vec4<f32>, normal: vec3<f32>, frag_coord: vec2<f32>) -> f32 {
    if lights.n_directional_lights == 0u {
        return 1.0;
    }
    if (lights.directional_lights[0].flags & DIRECTIONAL_LIGHT_FLAGS_SHADOWS_ENABLED_BIT) == 0u {
        return 1.0;
    }
    let view_z = dot(vec4<f32>(
        view.view_from_world[0].z,
        view.view_from_world[1].z,
        view.view_from_world[2].z,
        view.view_from_world[3].z
    ), world_position);
    let open = shadows::fetch_directional_shadow(0u, world_position, normal, view_z, frag_coord);
    return mix(1.0 - paints.key.w, 1.0, open);
}

fn matte(hue: u32, world_position: vec4<f32>, normal: vec3<f32>, frag_coord: vec2<f32>) -> vec3<f32> {
    let base = paints.colour[hue].rgb;
    let part = paints.part[hue];
    var irradiance = paints.ambient.rgb;
    if lights.n_directional_lights > 0u {
        let facing = max(dot(normal, lights.directional_lights[0].direction_to_light), 0.0);
        if facing > 0.0 && part.x > 0.0 {
            irradiance += paints.key.rgb * facing * lit_share(world_position, normal, frag_coord);
        }
    }
    return base * (irradiance * part.x / 3.14159265 + part.y);
}

// Opacity of the fog between the camera and a point.
fn fog_share(world_position: vec3<f32>) -> f32 {
#ifdef DISTANCE_FOG
    let distance = length(world_position - view.world_position);
    let share = clamp((distance - fog.be.x) / max(fog.be.y - fog.be.x, 0.001), 0.0, 1.0);
    return share * share * (3.0 - 2.0 * share);
#else
    return 0.0;
#endif
}

fn fogged(colour: vec3<f32>, world_position: vec3<f32>) -> vec3<f32> {
#ifdef DISTANCE_FOG
    return mix(colour, fog.base_color.rgb, fog_share(world_position));
#else
    return colour;
#endif
}
