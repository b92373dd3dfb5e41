fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        use bevy::prelude::*;
        App::new().add_plugins(DefaultPlugins).run();
    }
}
