// Lines of a constant width in pixels: each segment is a quad that is widened on the screen.
#import bevy_pbr::{
    mesh_functions,
    mesh_view_bindings::view,
    view_transformations::position_world_to_clip,
}
#import switchyard::paints::{paints, fog_share}

struct Vertex {
    @builtin(instance_index) instance_index: u32,
    @location(0) position: vec3<f32>,
    // the other end of the segment
    @location(1) other: vec3<f32>,
    // side, half width in logical pixels (negative at the far end), hue, opacity
    @location(2) look: vec4<f32>,
    // metres from the begin of the line, period of its dashes (0 = none), share of a cap
    @location(3) dash: vec3<f32>,
}

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) world_position: vec3<f32>,
    // across the line in pixels, half width in pixels
    @location(1) across: vec2<f32>,
    @location(2) @interpolate(flat) hue: u32,
    @location(3) alpha: f32,
    @location(4) dash: vec2<f32>,
}

@vertex
fn vertex(in: Vertex) -> Varying {
    let to_world = mesh_functions::get_world_from_local(in.instance_index);
    let world = mesh_functions::mesh_position_local_to_world(to_world, vec4<f32>(in.position, 1.0));
    let world_other = mesh_functions::mesh_position_local_to_world(to_world, vec4<f32>(in.other, 1.0));
    var here = position_world_to_clip(world.xyz);
    let there = position_world_to_clip(world_other.xyz);

    let half_screen = view.viewport.zw * 0.5;
    let a = here.xy / max(here.w, 0.05) * half_screen;
    let b = there.xy / max(there.w, 0.05) * half_screen;
    var along = b - a;
    let length_px = length(along);
    along = select(vec2<f32>(1.0, 0.0), along / max(length_px, 0.0001), length_px > 0.0001);
    // The quad's two ends see the segment from opposite sides, so the side turns with them.
    let normal = vec2<f32>(-along.y, along.x) * in.look.x;

    // What would be thinner than a pixel is a pixel wide, but fainter.
    let wanted = abs(in.look.y) * paints.screen.x;
    let half_width = max(wanted, 0.5);
    // One pixel more than the width: the edge is faded by hand.
    let reach = half_width + 1.0;
    let offset = normal * reach - along * half_width * in.dash.z;
    here = vec4<f32>(here.xy + offset / half_screen * here.w, here.z, here.w);
    // A line wins against the surface that it lies on.
    here.z *= 1.0008;

    var out: Varying;
    out.position = here;
    out.world_position = world.xyz;
    out.across = vec2<f32>(reach * sign(in.look.x) * sign(in.look.y), half_width);
    out.hue = u32(in.look.z + 0.5);
    out.alpha = in.look.w * min(wanted / half_width, 1.0);
    out.dash = in.dash.xy;
    return out;
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    let colour = paints.colour[in.hue];
    var alpha = colour.a * in.alpha * clamp(in.across.y + 0.5 - abs(in.across.x), 0.0, 1.0);
    if in.dash.y > 0.0 && fract(in.dash.x / in.dash.y) > 0.56 {
        discard;
    }
    alpha *= 1.0 - fog_share(in.world_position);
    return vec4<f32>(colour.rgb, alpha);
}
