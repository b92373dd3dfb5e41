//! Shapes as small numbers, so that what is known about a shape can be kept in a list.

use std::collections::BTreeMap;

use switchyard_model::PodSpec;

use super::shape::PodShape;

/// The shapes that were seen, numbered from 0.
#[derive(Clone, Debug, Default)]
pub(super) struct ShapeIds(BTreeMap<PodShape, usize>);

impl ShapeIds {
    /// The number of the pod's shape.
    pub(super) fn id(&mut self, pod: &PodSpec) -> usize {
        let next = self.0.len();
        *self.0.entry(PodShape::of(pod)).or_insert(next)
    }
}
