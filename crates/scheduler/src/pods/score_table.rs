//! What is known of the scores of all nodes for all shapes, so that only what changed is computed again.

/// No node of the cluster has this score.
const UNKNOWN: i8 = -2;
/// The node has no room for the shape.
const NO_ROOM: i8 = -1;

/// A list of nodes for each shape: searching the best one for a pod walks through one of them.
#[derive(Clone, Debug)]
pub(super) struct ScoreTable {
    nodes: usize,
    of_shape: Vec<Vec<i8>>,
}

impl ScoreTable {
    pub(super) const fn new(nodes: usize) -> ScoreTable {
        ScoreTable { nodes, of_shape: Vec::new() }
    }

    /// The scores for shape `id`; negative where the node has no room. What isn't known is asked of `score`, which says nothing for a
    /// node without room.
    pub(super) fn scores(&mut self, id: usize, mut score: impl FnMut(usize) -> Option<i64>) -> &[i8] {
        while self.of_shape.len() <= id {
            self.of_shape.push(vec![UNKNOWN; self.nodes]);
        }
        let Some(scores) = self.of_shape.get_mut(id) else { return &[] };
        for (at, known) in scores.iter_mut().enumerate() {
            if *known == UNKNOWN {
                *known = score(at).map_or(NO_ROOM, |score| score.clamp(0, 100) as i8);
            }
        }
        scores
    }

    /// Something changed on the node at `at`.
    pub(super) fn forget(&mut self, at: usize) {
        for scores in &mut self.of_shape {
            if let Some(known) = scores.get_mut(at) {
                *known = UNKNOWN;
            }
        }
    }
}
