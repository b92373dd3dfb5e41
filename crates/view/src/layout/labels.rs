//! Words that belong to places in the picture; the panels paint them flat on the screen.

use glam::Vec3;
use switchyard_model::{NodeId, ReplicaId};

use super::control::{LogLevels, replica_pose};
use super::lane::{lane_blocks, lane_pose};
use super::measures::{CONTROL_RADIUS, LANE_DEPTH, PLATFORM_DEPTH, PLATFORM_HEIGHT, RACK};
use super::pose::Pose;
use super::racks::rack_places;
use crate::stage::{Health, Role, Stage, Thing};

/// Words at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The place in the world; the text is centred on it.
    pub at: Vec3,
    /// The words.
    pub text: String,
    /// What they are, which gives their looks.
    pub kind: LabelKind,
    /// What they belong to.
    pub thing: Option<Thing>,
}

/// What a label is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelKind {
    /// Name of a rack, on the floor before it.
    Rack,
    /// Name of a replica.
    Replica,
    /// Name of the leader.
    Leader,
    /// Place in the queue.
    Position,
    /// First place in the queue.
    Head,
    /// How many more jobs wait than are drawn.
    More,
    /// The committed line.
    Committed,
    /// Name of a node that is not up, beside its tray.
    Trouble(Health),
}

/// All labels of a stage.
pub fn labels(stage: &Stage) -> Vec<Label> {
    let mut out = Vec::new();
    rack_names(stage, &mut out);
    replica_names(stage, &mut out);
    queue_positions(stage, &mut out);
    out
}

fn rack_names(stage: &Stage, out: &mut Vec<Label>) {
    for (place, rack) in rack_places(stage.racks.len()).iter().zip(&stage.racks) {
        let at = place.pose.world(Vec3::new(0.0, 0.0, RACK.z / 2.0 + 0.3));
        let thing = Some(Thing::Rack(rack.id));
        out.push(Label { at, text: rack.name.to_string(), kind: LabelKind::Rack, thing });
        for (i, node) in rack.nodes.iter().enumerate() {
            if node.health != Health::Up {
                let tray =
                    super::racks::tray_at(i, rack.nodes.len()) + Vec3::new(-RACK.x / 2.0, 0.1, RACK.z / 2.0);
                out.push(Label {
                    at: place.pose.world(tray),
                    text: node_name(node.id),
                    kind: LabelKind::Trouble(node.health),
                    thing: Some(Thing::Node(node.id)),
                });
            }
        }
    }
}

/// A node's short name: n01 is the first.
pub fn node_name(id: NodeId) -> String {
    format!("n{:02}", u64::from(id.0) + 1)
}

fn replica_names(stage: &Stage, out: &mut Vec<Label>) {
    let count = stage.replicas.len();
    for (i, replica) in stage.replicas.iter().enumerate() {
        let pose = replica_pose(i, count);
        let before = Pose::on_arc(
            CONTROL_RADIUS - PLATFORM_DEPTH / 2.0 + 0.16,
            super::control::replica_angle(i, count),
        );
        let letter = ReplicaId::letter(replica.id);
        let (text, kind) = match replica.role {
            Role::Leader => (format!("{letter} leader"), LabelKind::Leader),
            _ => (letter.to_string(), LabelKind::Replica),
        };
        out.push(Label {
            at: before.at.with_y(pose.at.y),
            text,
            kind,
            thing: Some(Thing::Replica(replica.id)),
        });
    }
    if count > 0 && stage.committed > 0 {
        let y = PLATFORM_HEIGHT + LogLevels::of(stage).top(stage.committed);
        let beside = replica_pose(count - 1, count).world(Vec3::new(0.86, 0.0, 0.0));
        let text = format!("committed {}", stage.committed);
        out.push(Label { at: beside.with_y(y), text, kind: LabelKind::Committed, thing: None });
    }
}

fn queue_positions(stage: &Stage, out: &mut Vec<Label>) {
    let blocks = lane_blocks(&stage.queue);
    for (i, block) in blocks.iter().enumerate() {
        let at = block.pose().world(Vec3::new(0.0, 0.0, LANE_DEPTH / 2.0 + 0.14));
        let kind = if i == 0 { LabelKind::Head } else { LabelKind::Position };
        out.push(Label { at, text: (i + 1).to_string(), kind, thing: Some(Thing::Job(block.job)) });
    }
    let more = stage.pending.saturating_sub(blocks.len());
    if more > 0 {
        let end = blocks.last().map_or(0.0, |block| block.along + block.size.x / 2.0);
        let at = lane_pose(end + 0.6).at;
        out.push(Label { at, text: format!("and {more} more"), kind: LabelKind::More, thing: None });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::Waiting;
    use switchyard_model::JobId;

    #[test]
    fn what_is_not_drawn_is_counted() {
        let job = |id| Waiting { job: JobId(id), account: 0, nodes: 4, slots_per_node: 8, limit_min: 60 };
        let stage = Stage { queue: (0..40).map(job).collect(), pending: 369, ..Stage::default() };
        let labels = labels(&stage);
        let drawn = labels.iter().filter(|l| matches!(l.kind, LabelKind::Position | LabelKind::Head)).count();
        let more = labels.iter().find(|l| l.kind == LabelKind::More).map(|l| l.text.clone());
        assert_eq!(more, Some(format!("and {} more", 369 - drawn)));
    }

    #[test]
    fn nodes_count_from_one() {
        assert_eq!(node_name(NodeId(5)), "n06");
    }
}
