//! Where a partition's curtain stands: lines on the floor that separate the two groups of hosts.
//!
//! The plan is cut into rings, the replicas' and one per row of racks, and each ring into sectors by the side of
//! what stands there. A line runs between neighbouring sectors of one ring, and between two rings wherever their
//! sides differ; so whatever the groups are, the lines part exactly them.

use glam::Vec3;

use super::control::replica_angle;
use super::measures::{CONTROL_RADIUS, PLATFORM_DEPTH, RACK_ROW};
use super::pose::Pose;
use super::racks::{rack_places, row_radius};
use crate::stage::Stage;

/// The lines end here to the left and to the right.
const WIDEST: f32 = 0.86;

/// A ring of the plan, from its inner to its outer radius, with the sides of what stands in it by angle.
struct Ring {
    inner: f32,
    outer: f32,
    hosts: Vec<(f32, bool)>,
}

impl Ring {
    /// Angles at which the side changes.
    fn borders(&self) -> impl Iterator<Item = f32> + '_ {
        self.hosts.windows(2).filter(|pair| pair[0].1 != pair[1].1).map(|pair| (pair[0].0 + pair[1].0) / 2.0)
    }

    /// Side of what stands nearest to an angle.
    fn side(&self, angle: f32) -> bool {
        let near = |a: &&(f32, bool), b: &&(f32, bool)| (a.0 - angle).abs().total_cmp(&(b.0 - angle).abs());
        self.hosts.iter().min_by(near).is_some_and(|host| host.1)
    }
}

/// The curtain's lines on the floor; empty without a partition.
pub fn cut_lines(stage: &Stage) -> Vec<Vec<Vec3>> {
    if !stage.is_cut() {
        return Vec::new();
    }
    let rings = rings(stage);
    let mut pieces: Vec<Vec<(f32, f32)>> = Vec::new();
    for ring in &rings {
        pieces.extend(ring.borders().map(|angle| vec![(ring.inner, angle), (ring.outer, angle)]));
    }
    for pair in rings.windows(2) {
        pieces.extend(between(&pair[0], &pair[1]));
    }
    join(pieces).into_iter().map(|line| smooth(&line)).collect()
}

fn rings(stage: &Stage) -> Vec<Ring> {
    let places = rack_places(stage.racks.len());
    let rows = places.last().map_or(0, |place| place.row + 1);
    let first_border = (CONTROL_RADIUS + row_radius(0)) / 2.0 - 0.35;
    let control = Ring {
        inner: CONTROL_RADIUS - PLATFORM_DEPTH,
        outer: first_border,
        hosts: (stage.replicas.iter().enumerate())
            .map(|(i, replica)| (replica_angle(i, stage.replicas.len()), replica.apart))
            .collect(),
    };
    let racks = (0..rows).map(|row| Ring {
        inner: if row == 0 { first_border } else { row_radius(row) - RACK_ROW / 2.0 },
        outer: row_radius(row) + RACK_ROW / 2.0,
        hosts: (places.iter().zip(&stage.racks))
            .filter(|(place, _)| place.row == row)
            .map(|(place, rack)| (place.angle, rack.is_apart()))
            .collect(),
    });
    std::iter::once(control).chain(racks).filter(|ring| !ring.hosts.is_empty()).collect()
}

/// Arcs along the border of two rings where their sides differ.
fn between(inner: &Ring, outer: &Ring) -> Vec<Vec<(f32, f32)>> {
    let mut stops: Vec<f32> = inner.borders().chain(outer.borders()).chain([-WIDEST, WIDEST]).collect();
    stops.sort_by(f32::total_cmp);
    let arcs = stops.windows(2).filter(|pair| {
        let middle = (pair[0] + pair[1]) / 2.0;
        pair[1] - pair[0] > 1e-4 && inner.side(middle) != outer.side(middle)
    });
    arcs.map(|pair| {
        let steps = ((pair[1] - pair[0]) / 0.12).ceil().max(1.0) as usize;
        let angle = |i: usize| pair[0] + (pair[1] - pair[0]) * i as f32 / steps as f32;
        (0..=steps).map(|i| (outer.inner, angle(i))).collect()
    })
    .collect()
}

/// Joins pieces that share an end into lines.
fn join(mut pieces: Vec<Vec<(f32, f32)>>) -> Vec<Vec<(f32, f32)>> {
    let same = |a: (f32, f32), b: (f32, f32)| (a.0 - b.0).abs() < 1e-3 && (a.1 - b.1).abs() < 1e-3;
    let mut lines = Vec::new();
    while let Some(mut line) = pieces.pop() {
        loop {
            let (head, tail) = (line[0], line[line.len() - 1]);
            let touches = |piece: &Vec<(f32, f32)>| {
                [head, tail].iter().any(|&end| same(piece[0], end) || same(piece[piece.len() - 1], end))
            };
            let Some(i) = pieces.iter().position(touches) else { break };
            let mut piece = pieces.swap_remove(i);
            if same(piece[0], head) || same(piece[piece.len() - 1], head) {
                line.reverse();
            }
            if !same(piece[0], line[line.len() - 1]) {
                piece.reverse();
            }
            line.extend_from_slice(&piece[1..]);
        }
        lines.push(line);
    }
    lines
}

/// Rounds the corners of a line on the polar plan (Chaikin's corner cutting) and puts it onto the floor.
fn smooth(line: &[(f32, f32)]) -> Vec<Vec3> {
    let mut points: Vec<Vec3> = line.iter().map(|&(radius, angle)| Pose::on_arc(radius, angle).at).collect();
    for _ in 0..3 {
        let (first, last) = (points[0], points[points.len() - 1]);
        let mut next = vec![first];
        for pair in points.windows(2) {
            next.push(pair[0].lerp(pair[1], 0.25));
            next.push(pair[0].lerp(pair[1], 0.75));
        }
        next.push(last);
        points = next;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::control::replica_pose;
    use crate::stage::{Health, Node, Rack, Replica, Role};
    use proptest::prelude::*;
    use switchyard_model::{NodeId, RackId, ReplicaId};

    fn stage(racks: &[bool], replicas: &[bool]) -> Stage {
        Stage {
            racks: (racks.iter().enumerate())
                .map(|(i, &apart)| Rack {
                    id: RackId(i as u32),
                    name: "R".into(),
                    nodes: vec![Node {
                        id: NodeId(i as u32),
                        health: Health::Up,
                        slots: Vec::new(),
                        reserved: None,
                        apart,
                    }],
                    traffic: 0.0,
                })
                .collect(),
            replicas: (replicas.iter().enumerate())
                .map(|(i, &apart)| Replica {
                    id: ReplicaId(i as u32),
                    role: Role::Follower,
                    term: 1,
                    last: 0,
                    log: Vec::new(),
                    timer: 0.0,
                    apart,
                })
                .collect(),
            ..Stage::default()
        }
    }

    /// How often the straight way from a to b crosses the lines.
    fn crossings(a: Vec3, b: Vec3, lines: &[Vec<Vec3>]) -> usize {
        let cross = |p: Vec3, q: Vec3, r: Vec3| (q.x - p.x) * (r.z - p.z) - (q.z - p.z) * (r.x - p.x);
        let pairs = lines.iter().flat_map(|line| line.windows(2));
        pairs
            .filter(|pair| {
                let (p, q) = (pair[0], pair[1]);
                cross(a, b, p) * cross(a, b, q) < 0.0 && cross(p, q, a) * cross(p, q, b) < 0.0
            })
            .count()
    }

    #[test]
    fn no_partition_no_curtain() {
        assert!(cut_lines(&stage(&[false; 8], &[false; 5])).is_empty());
        assert!(cut_lines(&stage(&[true; 8], &[true; 5])).is_empty());
    }

    #[test]
    fn a_corner_that_is_cut_off_needs_one_line() {
        let stage = stage(
            &[true, false, false, false, false, false, false, false],
            &[true, true, false, false, false],
        );
        assert_eq!(cut_lines(&stage).len(), 1);
    }

    proptest! {
        #[test]
        fn lines_part_neighbours_exactly_if_their_sides_differ(
            racks in proptest::collection::vec(any::<bool>(), 1..9),
            replicas in proptest::collection::vec(any::<bool>(), 3..8),
        ) {
            let stage = stage(&racks, &replicas);
            let lines = cut_lines(&stage);
            let places = rack_places(racks.len());
            for i in 1..racks.len() {
                let n = crossings(places[i - 1].pose.at, places[i].pose.at, &lines);
                prop_assert_eq!(n % 2 == 1, racks[i - 1] != racks[i], "racks {} and {}", i - 1, i);
            }
            for i in 1..replicas.len() {
                let at = |i| replica_pose(i, replicas.len()).at;
                let n = crossings(at(i - 1), at(i), &lines);
                prop_assert_eq!(n % 2 == 1, replicas[i - 1] != replicas[i], "replicas {} and {}", i - 1, i);
            }
        }
    }
}
