// The floor: pools of light, a grid that fades with distance, and shadows.
#import bevy_pbr::forward_io::VertexOutput
#import switchyard::paints::{paints, matte, fogged}

const TILE: f32 = 0.6;

@fragment
fn fragment(in: VertexOutput) -> @location(0) vec4<f32> {
    let at = in.world_position.xz;
    var colour = matte(u32(in.uv.x + 0.5), in.world_position, vec3<f32>(0.0, 1.0, 0.0), in.position.xy);

    for (var i = 0u; i < 4u; i += 1u) {
        let place = paints.pools[2u * i];
        let light = paints.pools[2u * i + 1u];
        let away = (at - place.xy) / max(place.zw, vec2<f32>(0.001));
        let fall = clamp(1.0 - length(away), 0.0, 1.0);
        let strength = light.a * fall * fall * (3.0 - 2.0 * fall);
        colour = mix(mix(colour, light.rgb, strength), colour + light.rgb * strength, paints.screen.y);
    }

    // Lines of the width of a pixel; where they would crowd they fade.
    let tile = at / TILE;
    let step = fwidth(tile);
    let near = abs(fract(tile - 0.5) - 0.5) / max(step, vec2<f32>(0.0001));
    let width = 0.5 * paints.screen.x;
    let line = clamp(vec2<f32>(width + 0.5) - near, vec2<f32>(0.0), vec2<f32>(1.0));
    let crowd = clamp(1.0 - max(step.x, step.y) * 3.0, 0.0, 1.0);
    colour = mix(colour, paints.grid.rgb, max(line.x, line.y) * paints.grid.a * crowd);

    // A little noise against bands in the dark gradients.
    let noise = fract(52.9829189 * fract(dot(in.position.xy, vec2<f32>(0.06711056, 0.00583715)))) - 0.5;
    colour = fogged(colour, in.world_position.xyz);
    return vec4<f32>(colour * (1.0 + noise * 0.03), 1.0);
}
