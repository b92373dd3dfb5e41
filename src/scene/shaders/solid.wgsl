// A matte surface; the first texture coordinate names its hue, the second its opacity.
#import bevy_pbr::forward_io::VertexOutput
#import switchyard::paints::{matte, fogged}

@fragment
fn fragment(in: VertexOutput) -> @location(0) vec4<f32> {
    let colour = matte(u32(in.uv.x + 0.5), in.world_position, normalize(in.world_normal), in.position.xy);
    return vec4<f32>(fogged(colour, in.world_position.xyz), in.uv.y);
}
