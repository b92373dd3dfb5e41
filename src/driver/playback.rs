//! How time passes: the wished speed, the frame's budget, and the speed that is reached.

use bevy::platform::time::Instant;
use bevy::prelude::*;
use switchyard_model::{SimDuration, SimTime};
use switchyard_sim::Progress;
use switchyard_view::resolve::Step;

use super::{Notice, Simulation};

/// The simulation's part of a frame, at least.
const BUDGET_SECS: f64 = 0.006;
/// A machine that draws slowly has time to compute meanwhile: up to this share of its frames.
const SHARE: f64 = 1.0 / 3.0;
/// Events between two looks at the clock.
const SLICE: u64 = 256;
/// A frame longer than this says nothing of how fast the machine draws.
const SLOW_FRAME_SECS: f64 = 1.0;
/// A frame that took longer (a hidden tab, a stalled machine) counts as this long: time never jumps.
const FRAME_MAX_SECS: f64 = 0.1;
/// At this speed or slower, a message takes long enough to be seen on its way.
const MESSAGES_UP_TO: f64 = 0.35;
/// The shown speed follows the last this many seconds.
const SMOOTHING_SECS: f64 = 0.5;
/// The speed of the first screen: a minute per second.
const FIRST_SPEED: f64 = 60.0;
/// A step to the next pass looks this far ahead at most: one frame must do.
const STEP_AHEAD: SimDuration = SimDuration::from_secs(600);

/// How time passes.
#[derive(Clone, Debug)]
pub(crate) struct Playback {
    /// Whether it passes.
    pub(crate) playing: bool,
    /// The wished speed, in simulated seconds per second.
    pub(crate) speed: f64,
    /// The speed of the last frames.
    pub(crate) reached: f64,
    /// Whether the last event of the run was told of.
    pub(crate) ended: bool,
    /// Time stops here.
    pub(crate) stop_at: Option<SimTime>,
    /// Until this moment, time passes as fast as the machine can, whatever the speed.
    pub(crate) seek: Option<SimTime>,
    /// What is left of a microsecond from the last frame.
    carry: f64,
}

impl Default for Playback {
    fn default() -> Self {
        Playback {
            playing: true,
            speed: FIRST_SPEED,
            reached: 0.0,
            ended: false,
            stop_at: None,
            seek: None,
            carry: 0.0,
        }
    }
}

impl Playback {
    /// At the start of a run.
    pub(super) fn at(speed: f64) -> Self {
        Playback { speed, ..Playback::default() }
    }

    /// Whether single messages can be followed with the eye.
    pub(crate) fn shows_messages(&self) -> bool {
        self.speed <= MESSAGES_UP_TO
    }
}

/// Lets the world go on for this frame.
pub(crate) fn advance(
    mut simulation: ResMut<Simulation>,
    time: Res<Time<Real>>,
    mut notices: MessageWriter<Notice>,
) {
    let real_secs = time.delta_secs_f64();
    let secs = real_secs.min(FRAME_MAX_SECS);
    if !simulation.playback.playing {
        simulation.playback.reached = 0.0;
        return;
    }
    let Simulation { world, playback, .. } = &mut *simulation;
    let wished = secs * playback.speed * 1e6 + playback.carry;
    playback.carry = wished.fract();
    let before = world.now();
    let mut until = before + SimDuration::from_micros(wished as u64);
    if let Some(seek) = playback.seek.filter(|seek| *seek > before) {
        until = seek;
    } else {
        playback.seek = None;
    }
    if let Some(stop) = playback.stop_at {
        until = until.min(stop.max(before));
    }
    let budget = BUDGET_SECS.max(real_secs.min(SLOW_FRAME_SECS) * SHARE);
    let began = Instant::now();
    while world.run_until(until, SLICE) == Progress::OutOfBudget && began.elapsed().as_secs_f64() < budget {}
    if real_secs > 0.0 {
        let now = world.now().since(before).as_secs_f64() / real_secs;
        playback.reached += (now - playback.reached) * (real_secs / SMOOTHING_SECS).min(1.0);
    }
    if playback.stop_at.is_some_and(|stop| world.now() >= stop) {
        playback.stop_at = None;
        playback.playing = false;
    }
    if !playback.ended && world.is_done() {
        playback.ended = true;
        playback.playing = false;
        notices.write(Notice(format!("All {} jobs have ended.", world.jobs().len())));
    }
}

/// Stops time after one step. Answers why nothing came of it, if so.
pub(super) fn step(simulation: &mut Simulation, step: Step) -> Option<String> {
    let Simulation { world, playback, .. } = simulation;
    playback.playing = false;
    match step {
        Step::Event => world.step(),
        Step::Pass => {
            let passes = world.passes();
            let far = world.now() + STEP_AHEAD;
            while world.passes() == passes && world.next_at().is_some_and(|next| next <= far) {
                world.step();
            }
            if world.passes() == passes {
                return Some(format!("No scheduling pass within {STEP_AHEAD}."));
            }
        }
    }
    None
}
