// The curtain along a partition: slanted stripes that fade upwards.
#import bevy_pbr::forward_io::VertexOutput
#import switchyard::paints::paints

// Hue, stripe width in metres, slant (metres along per metre up), opacity below and above.
const STRIPE: f32 = 0.25;
const SLANT: f32 = 0.6;
const BELOW: f32 = 0.5;
const ABOVE: f32 = 0.06;

@fragment
fn fragment(in: VertexOutput) -> @location(0) vec4<f32> {
    // uv_b: hue, height from 0 to 1; uv: metres along, metres up
    let along = in.uv.x + in.uv.y * SLANT;
    let phase = fract(along / (2.0 * STRIPE)) * 2.0;
    let soft = fwidth(along) / STRIPE;
    let stripe = smoothstep(0.0, soft, phase) * (1.0 - smoothstep(1.0 - soft, 1.0, phase));
    let fade = mix(BELOW, ABOVE, in.uv_b.y);
    return vec4<f32>(paints.colour[u32(in.uv_b.x + 0.5)].rgb, fade * mix(0.42, 1.0, stripe));
}
