// Halos: soft discs that face the camera and add light.
#import bevy_pbr::{
    mesh_functions,
    mesh_view_bindings::view,
    view_transformations::position_world_to_clip,
}
#import switchyard::paints::paints

struct Vertex {
    @builtin(instance_index) instance_index: u32,
    // the middle of the disc
    @location(0) position: vec3<f32>,
    // the corner (-1 or 1, twice), radius in metres, hue and strength as hue + strength / 2
    @location(1) look: vec4<f32>,
}

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) corner: vec2<f32>,
    @location(1) @interpolate(flat) hue: u32,
    @location(2) strength: f32,
}

@vertex
fn vertex(in: Vertex) -> Varying {
    let to_world = mesh_functions::get_world_from_local(in.instance_index);
    let middle = mesh_functions::mesh_position_local_to_world(to_world, vec4<f32>(in.position, 1.0)).xyz;
    let right = view.world_from_view[0].xyz;
    let up = view.world_from_view[1].xyz;
    let world = middle + (right * in.look.x + up * in.look.y) * in.look.z;

    var out: Varying;
    out.position = position_world_to_clip(world);
    out.corner = in.look.xy;
    out.hue = u32(in.look.w);
    out.strength = fract(in.look.w) * 2.0;
    return out;
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    let fall = clamp(1.0 - length(in.corner), 0.0, 1.0);
    let strength = fall * fall * fall * in.strength * paints.screen.y;
    return vec4<f32>(paints.colour[in.hue].rgb * strength, 0.0);
}
