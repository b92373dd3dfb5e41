//! Jobs that start fly from the lane to their GPUs; above a rate that the eye can follow, nothing flies.

use std::collections::{BTreeMap, VecDeque};

use bevy::prelude::*;
use switchyard_model::NodeId;
use switchyard_view::layout::lane::lane_pose;
use switchyard_view::layout::measures::GPU;
use switchyard_view::layout::paths::{Way, slot_pose};
use switchyard_view::layout::pose::Pose;
use switchyard_view::stage::Happening;

use super::ink::line::Pen;
use super::ink::solid::Frame;
use super::ink::{Ink, Press, Zone};
use super::queue::LanePlaces;
use super::{ReducedMotion, StageNow};
use crate::app::AppSystems;
use crate::theme::palette::Hue;

/// Seconds of a flight.
const FLIGHT: f32 = 0.9;
/// Starts per second above which nothing flies.
const MOST_PER_SECOND: usize = 40;
/// Blocks that fly at once at most.
const MOST_BLOCKS: usize = 160;

pub(super) fn plugin(app: &mut App) {
    app.init_resource::<Flights>();
    app.add_systems(
        Update,
        (take_off.run_if(resource_changed::<StageNow>), fly).chain().in_set(AppSystems::Mirror),
    );
}

/// Blocks in the air, and the slots that wait for them.
#[derive(Resource, Default)]
pub(super) struct Flights {
    blocks: Vec<Block>,
    awaited: BTreeMap<(NodeId, u8), u8>,
    recent: VecDeque<f32>,
}

impl Flights {
    /// The account of the job that is on its way to a slot.
    pub(super) fn awaited(&self, node: NodeId, slot: u8) -> Option<u8> {
        self.awaited.get(&(node, slot)).copied()
    }
}

struct Block {
    way: Way,
    to: Pose,
    goal: (NodeId, u8),
    account: u8,
    begin: f32,
    from_yaw: f32,
}

fn take_off(
    stage: Res<StageNow>,
    places: Res<LanePlaces>,
    reduced: Res<ReducedMotion>,
    time: Res<Time<Real>>,
    mut flights: ResMut<Flights>,
) {
    let now = time.elapsed_secs();
    while flights.recent.front().is_some_and(|&at| now - at > 1.0) {
        flights.recent.pop_front();
    }
    for happening in &stage.0.happenings {
        let Happening::Started { job, account, slots } = happening else { continue };
        flights.recent.push_back(now);
        if reduced.0
            || flights.recent.len() > MOST_PER_SECOND
            || flights.blocks.len() + slots.len() > MOST_BLOCKS
        {
            continue;
        }
        let from = lane_pose(places.of(*job).unwrap_or(0.0));
        for (i, &(node, slot)) in slots.iter().enumerate() {
            let Some(to) = slot_pose(&stage.0, node, slot) else { continue };
            // The block unpacks: its parts leave in a 3 x 3 pattern, one sheet for each node.
            let (column, layer) = (i % 8, i / 8);
            let offset = Vec3::new(column as f32 % 3.0 - 1.0, 0.0, (column / 3) as f32 - 1.0) * 0.26;
            let start = from.world(offset + Vec3::Y * (0.3 + 0.18 * layer as f32));
            flights.blocks.push(Block {
                way: Way::of_flight(start, to.at),
                to,
                goal: (node, slot),
                account: *account,
                begin: now + 0.025 * layer as f32,
                from_yaw: from.yaw,
            });
            flights.awaited.insert((node, slot), *account);
        }
    }
}

pub(super) fn fly(
    time: Res<Time<Real>>,
    mut flights: ResMut<Flights>,
    mut press: Press,
    mut zone: Local<Zone>,
) {
    if flights.blocks.is_empty() {
        return;
    }
    let now = time.elapsed_secs();
    let Flights { blocks, awaited, .. } = &mut *flights;
    blocks.retain(|block| {
        let lands = now - block.begin >= FLIGHT;
        if lands {
            awaited.remove(&block.goal);
        }
        !lands
    });
    let mut ink = Ink::default();
    for (i, block) in flights.blocks.iter().enumerate() {
        let t = ((now - block.begin) / FLIGHT).clamp(0.0, 1.0);
        let t = t * t * (3.0 - 2.0 * t);
        let at = block.way.at(t);
        let yaw = block.from_yaw + (block.to.yaw - block.from_yaw) * t;
        let frame = Frame::from(Pose { at, yaw });
        ink.solid.block(&frame, GPU, 0.016, Hue::Account(block.account));
        let tail: Vec<Vec3> = (0..8).map(|k| block.way.at((t - 0.025 * k as f32).max(0.0))).collect();
        ink.line.fading(&tail, Pen::new(Hue::Account(block.account), 2.4).alpha(0.5), (1.0, 0.04));
        if i % 8 == 0 {
            ink.glow.halo(at, 0.7, Hue::Account(block.account), 0.3);
        }
    }
    press.print(&mut zone, &ink);
}
