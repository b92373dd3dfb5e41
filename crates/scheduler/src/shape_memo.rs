//! Remembers an answer per shape: queues hold many equal jobs, and the answer may cost a walk over all nodes.

use switchyard_model::Shape;

/// So many shapes are remembered; looking through more would cost what it saves.
const SHAPES_MAX: usize = 64;

/// Answers of one pass, by shape, or by a shape and what else matters.
#[derive(Debug)]
pub(crate) struct ShapeMemo<T, K = Shape>(Vec<(K, T)>);

impl<T: Copy, K: Copy + PartialEq> ShapeMemo<T, K> {
    pub(crate) const fn new() -> Self {
        ShapeMemo(Vec::new())
    }

    /// What was answered for `shape`, or else what `answer` says now.
    pub(crate) fn get(&mut self, shape: &K, answer: impl FnOnce() -> T) -> T {
        if let Some(&(_, known)) = self.0.iter().find(|(known, _)| known == shape) {
            return known;
        }
        let new = answer();
        if self.0.len() < SHAPES_MAX {
            self.0.push((*shape, new));
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_model::Resources;

    #[test]
    fn equal_shapes_are_asked_once_and_too_many_are_still_answered_right() {
        let shape = |tasks| Shape::Tasks { tasks, per_task: Resources::cpus(1) };
        let mut memo = ShapeMemo::new();
        let mut asked = 0;
        for tasks in (0..100).chain(0..100) {
            let answer = memo.get(&shape(tasks), || {
                asked += 1;
                tasks * 2
            });
            assert_eq!(answer, tasks * 2);
        }
        assert_eq!(asked, 200 - SHAPES_MAX);
    }
}
