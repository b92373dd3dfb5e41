//! The next node with enough free, found without looking at all the nodes before it.

use switchyard_model::Resources;

/// A tournament of the nodes' free amounts: each inner place holds the largest amount of each resource below it.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreeTree {
    /// The root is at 1, the leaves from `leaves` on.
    most: Vec<Resources>,
    leaves: usize,
}

impl FreeTree {
    /// Starts over.
    pub(crate) fn rebuild(&mut self, free: impl ExactSizeIterator<Item = Resources>) {
        self.leaves = free.len().next_power_of_two();
        self.most.clear();
        self.most.resize(2 * self.leaves, Resources::default());
        for (place, free) in self.most.iter_mut().skip(self.leaves).zip(free) {
            *place = free;
        }
        for place in (1..self.leaves).rev() {
            self.refresh(place);
        }
    }

    /// Node `index` has this free now.
    pub(crate) fn set(&mut self, index: usize, free: Resources) {
        let mut place = self.leaves + index;
        let Some(leaf) = self.most.get_mut(place) else { return };
        *leaf = free;
        while place > 1 {
            place /= 2;
            if !self.refresh(place) {
                break;
            }
        }
    }

    /// Whether the place changed.
    fn refresh(&mut self, place: usize) -> bool {
        let (Some(&a), Some(&b)) = (self.most.get(2 * place), self.most.get(2 * place + 1)) else {
            return false;
        };
        let most = Resources {
            cpus: a.cpus.max(b.cpus),
            gpus: a.gpus.max(b.gpus),
            memory_mib: a.memory_mib.max(b.memory_mib),
        };
        let Some(here) = self.most.get_mut(place) else { return false };
        std::mem::replace(here, most) != most
    }

    /// The first node from `from` on that has `need` free.
    pub(crate) fn next(&self, from: usize, need: &Resources) -> Option<usize> {
        let covers = |place: usize| self.most.get(place).is_some_and(|most| most.covers(need));
        if from >= self.leaves {
            return None;
        }
        let mut place = self.leaves + from;
        loop {
            if covers(place) {
                // Down to the first leaf below that has enough; if none has all at once, on from the end of this subtree.
                match self.first_below(place, need) {
                    Some(leaf) => return Some(leaf - self.leaves),
                    None => {}
                }
            }
            // To the next subtree on the right.
            while place % 2 == 1 {
                place /= 2;
                if place <= 1 {
                    return None;
                }
            }
            place += 1;
        }
    }

    /// Visits all nodes that have `need` free, in order.
    pub(crate) fn each(&self, need: &Resources, visit: &mut impl FnMut(usize)) {
        self.each_below(1, need, visit);
    }

    fn each_below(&self, place: usize, need: &Resources, visit: &mut impl FnMut(usize)) {
        if !self.most.get(place).is_some_and(|most| most.covers(need)) {
            return;
        }
        if place >= self.leaves {
            return visit(place - self.leaves);
        }
        self.each_below(2 * place, need, visit);
        self.each_below(2 * place + 1, need, visit);
    }

    fn first_below(&self, place: usize, need: &Resources) -> Option<usize> {
        if !self.most.get(place)?.covers(need) {
            return None;
        }
        if place >= self.leaves {
            return Some(place);
        }
        self.first_below(2 * place, need).or_else(|| self.first_below(2 * place + 1, need))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn amounts() -> impl Strategy<Value = Resources> {
        (0u32..6, 0u32..4).prop_map(|(cpus, gpus)| Resources { cpus, gpus, memory_mib: 0 })
    }

    proptest! {
        #[test]
        fn it_finds_what_a_walk_finds(
            mut free in prop::collection::vec(amounts(), 1..40),
            changes in prop::collection::vec((any::<prop::sample::Index>(), amounts()), 0..20),
            need in amounts(),
            from in 0usize..45,
        ) {
            let mut tree = FreeTree::default();
            tree.rebuild(free.iter().copied());
            for (index, amount) in changes {
                let index = index.index(free.len());
                free[index] = amount;
                tree.set(index, amount);
            }
            let walked = (from..free.len()).find(|&index| free[index].covers(&need));
            let found = tree.next(from, &need).filter(|&index| index < free.len());
            prop_assert_eq!(found, walked);
            let mut all = Vec::new();
            tree.each(&need, &mut |index| if index < free.len() { all.push(index) });
            let walked: Vec<_> = (0..free.len()).filter(|&index| free[index].covers(&need)).collect();
            prop_assert_eq!(all, walked);
        }
    }
}
