//! What the page may call: hand over a file, act as a visitor would, and look at the state.
#![expect(unreachable_pub, reason = "wasm-bindgen exports public functions only")]

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use bevy::prelude::*;
use serde::Serialize;
use switchyard_model::SimTime;
use switchyard_raft::Role;
use switchyard_sim::Agent;
use switchyard_view::import::ImportView;
use switchyard_view::intent::Intent;
use switchyard_view::policy::policy_wanted;
use switchyard_view::stage::Thing;
use wasm_bindgen::prelude::*;

use crate::app::AppSystems;
use crate::driver::{Notice, Simulation, Wish, offer_file};
use crate::scene::Selected;

thread_local! {
    static WISHES: RefCell<Vec<Intent>> = const { RefCell::new(Vec::new()) };
    static STOP_AT: Cell<Option<f64>> = const { Cell::new(None) };
    static SEEK: Cell<Option<f64>> = const { Cell::new(None) };
    static STATE: RefCell<String> = const { RefCell::new(String::new()) };
    static WATCHED: Cell<bool> = const { Cell::new(false) };
}

/// Hands over a trace file that was dropped or picked.
#[wasm_bindgen]
pub fn switchyard_open_file(name: &str, bytes: Vec<u8>) {
    offer_file(name.to_owned(), bytes);
}

/// Acts as a visitor would: an intent as JSON, `"kill_leader"` or `{"set_speed":60}`. Returns what is wrong with it, or
/// nothing.
#[wasm_bindgen]
pub fn switchyard_act(intent: &str) -> Option<String> {
    match serde_json::from_str(intent) {
        Ok(intent) => {
            WISHES.with_borrow_mut(|wishes| wishes.push(intent));
            None
        }
        Err(error) => Some(format!("{intent} is no intent: {error}")),
    }
}

/// Lets time stop at this moment, in microseconds since the start.
#[wasm_bindgen]
pub fn switchyard_stop_at(micros: f64) {
    STOP_AT.set(Some(micros));
}

/// Lets time pass as fast as the machine can until this moment, in microseconds since the start.
#[wasm_bindgen]
pub fn switchyard_seek(micros: f64) {
    SEEK.set(Some(micros));
}

/// The state as JSON, as of the last frame; empty until the first frame after the first call.
#[wasm_bindgen]
pub fn switchyard_state() -> String {
    WATCHED.set(true);
    STATE.with_borrow(String::clone)
}

pub(super) fn plugin(app: &mut App) {
    app.add_systems(Update, take_wishes.in_set(AppSystems::Input));
    app.add_systems(Update, (say_ready, publish).in_set(AppSystems::Publish));
}

fn take_wishes(mut simulation: ResMut<Simulation>, mut wishes: MessageWriter<Wish>) {
    for intent in WISHES.with_borrow_mut(std::mem::take) {
        wishes.write(Wish(intent));
    }
    let moment = |micros: f64| (micros >= 0.0).then(|| SimTime::from_micros(micros as u64));
    if let Some(at) = STOP_AT.take() {
        simulation.playback.stop_at = moment(at);
    }
    if let Some(at) = SEEK.take() {
        simulation.playback.seek = moment(at);
    }
}

/// Frames until the picture has certainly been drawn once.
const FRAMES_UNTIL_READY: u32 = 3;

fn say_ready(mut frames: Local<u32>) {
    if *frames > FRAMES_UNTIL_READY {
        return;
    }
    *frames += 1;
    if *frames == FRAMES_UNTIL_READY
        && let Some(root) = web_sys::window().and_then(|window| window.document()?.document_element())
    {
        drop(root.set_attribute("data-ready", "1"));
    }
}

#[derive(Serialize)]
struct State<'a> {
    scenario: &'a str,
    seed: u64,
    now_micros: u64,
    playing: bool,
    speed: f64,
    reached: f64,
    /// Only while time stands still: it is of no use otherwise, and costs.
    digest: Option<String>,
    leader: Option<char>,
    term: Option<u64>,
    replicas: Vec<ReplicaState>,
    nodes: Vec<NodeState<'a>>,
    pending: u32,
    running: u32,
    finished: u32,
    requeued: u32,
    backfilled: u32,
    jobs: usize,
    submitted: u32,
    accepted: usize,
    unanswered: usize,
    busy: u32,
    units: u32,
    backfill: bool,
    policy: Arc<str>,
    policy_asked: Arc<str>,
    partitions: usize,
    violations: Vec<&'a str>,
    done: bool,
    waiting: Vec<(u64, String)>,
    import: Option<&'a ImportView>,
    selected: Option<Thing>,
    notice: &'a str,
    frames: u64,
}

#[derive(Serialize)]
struct ReplicaState {
    name: char,
    up: bool,
    role: Option<&'static str>,
    term: u64,
    commit: u64,
    last: u64,
    applied: u64,
}

#[derive(Serialize)]
struct NodeState<'a> {
    name: &'a str,
    up: bool,
    fenced: bool,
    state: Option<switchyard_sim::NodeState>,
    running: usize,
}

/// Reasons told of the first jobs in the queue.
const WAITING_TOLD: usize = 5;

fn publish(
    simulation: Res<Simulation>,
    selected: Res<Selected>,
    mut notices: MessageReader<Notice>,
    mut last_notice: Local<String>,
    mut frames: Local<u64>,
) {
    *frames += 1;
    if let Some(Notice(words)) = notices.read().last() {
        last_notice.clone_from(words);
    }
    if !WATCHED.get() {
        return;
    }
    let world = &simulation.world;
    let counts = world.counts();
    let leader = world.leader();
    let waiting = world.plan().map(|plan| plan.waiting.as_slice()).unwrap_or_default();
    let state = State {
        scenario: &simulation.scenario.name,
        seed: world.seed(),
        now_micros: world.now().as_micros(),
        playing: simulation.playback.playing,
        speed: simulation.playback.speed,
        reached: simulation.playback.reached,
        digest: (!simulation.playback.playing).then(|| world.digest().to_string()),
        leader: leader.map(|(replica, _)| replica.id().letter()),
        term: leader.map(|(_, term)| term),
        replicas: world.replicas().iter().map(replica_state).collect(),
        nodes: world
            .fleet()
            .nodes()
            .iter()
            .zip(world.agents())
            .map(|(node, agent)| node_state(world, node, agent))
            .collect(),
        pending: counts.pending,
        running: counts.running,
        finished: counts.finished,
        requeued: counts.requeued,
        backfilled: counts.backfilled,
        jobs: world.jobs().len(),
        submitted: world.submitted(),
        accepted: world.book().jobs().len(),
        unanswered: world.login().unanswered(),
        busy: world.busy_units(),
        units: world.units(),
        backfill: world.setting().backfill,
        policy: world.policy().name,
        policy_asked: policy_wanted(world),
        partitions: world.network().partitions().len(),
        violations: world.violations().iter().map(|violation| violation.seen.as_str()).collect(),
        done: world.is_done(),
        waiting: waiting
            .iter()
            .take(WAITING_TOLD)
            .map(|waiting| (waiting.job.0, waiting.reason.to_string()))
            .collect(),
        import: simulation.import.as_ref().map(|import| &import.view),
        selected: selected.0,
        notice: &last_notice,
        frames: *frames,
    };
    let json = serde_json::to_string(&state).unwrap_or_default();
    STATE.with_borrow_mut(|kept| *kept = json);
}

fn replica_state(replica: &switchyard_sim::Replica) -> ReplicaState {
    let status = replica.raft().map(switchyard_raft::RawNode::status);
    ReplicaState {
        name: replica.id().letter(),
        up: replica.is_up(),
        role: status.as_ref().map(|status| match status.role {
            Role::Follower => "follower",
            Role::PreCandidate => "pre-candidate",
            Role::Candidate => "candidate",
            Role::Leader => "leader",
        }),
        term: status.as_ref().map_or(0, |status| status.term),
        commit: status.as_ref().map_or(0, |status| status.commit),
        last: status.as_ref().map_or(replica.disk().durable_index(), |status| status.last_index),
        applied: replica.applied(),
    }
}

fn node_state<'a>(
    world: &switchyard_sim::World,
    node: &'a switchyard_model::Node,
    agent: &Agent,
) -> NodeState<'a> {
    NodeState {
        name: &node.name,
        up: agent.is_up(),
        fenced: agent.is_fenced(),
        state: world.node_state(node.id),
        running: agent.running().count(),
    }
}
