//! What has become free, so that each job in the queue is asked only whether that is of use to it.

use switchyard_model::{NodeId, Resources, SimTime};

/// Something that has become free.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Where; of no meaning where only sums count.
    pub(super) node: NodeId,
    pub(super) from: SimTime,
    pub(super) until: SimTime,
}

/// The pieces of the last walk through the queue and since. They are numbered through, so that each job knows by a number
/// which of them it has been asked about.
#[derive(Clone, Debug, Default)]
pub(super) struct News {
    pieces: Vec<Piece>,
    /// The number of the first that is kept.
    first: u64,
    /// The pieces that end later than all after them, with their numbers.
    latest: Vec<(u64, SimTime)>,
}

impl News {
    /// The number of the next piece.
    pub(super) const fn next(&self) -> u64 {
        self.first + self.pieces.len() as u64
    }

    /// Someone no longer holds this in [from, until).
    pub(super) fn add_all(&mut self, from: SimTime, until: SimTime, on: &[(NodeId, Resources)]) {
        if on.is_empty() {
            self.add(Piece { node: NodeId(0), from, until });
        }
        on.iter().for_each(|(node, _)| self.add(Piece { node: *node, from, until }));
    }

    fn add(&mut self, piece: Piece) {
        while self.latest.pop_if(|(_, until)| *until <= piece.until).is_some() {}
        self.latest.push((self.next(), piece.until));
        self.pieces.push(piece);
    }

    /// Until when something has become free, from number `from` on.
    pub(super) fn until(&self, from: u64) -> SimTime {
        let first = self.latest.partition_point(|(number, _)| *number < from);
        self.latest.get(first).map_or(SimTime::ZERO, |(_, until)| *until)
    }

    /// What has become free, from number `from` on.
    pub(super) fn since(&self, from: u64) -> &[Piece] {
        let skip = usize::try_from(from.saturating_sub(self.first)).unwrap_or(usize::MAX);
        self.pieces.get(skip..).unwrap_or_default()
    }

    /// Everyone has been asked about all before `number`.
    pub(super) fn forget_before(&mut self, number: u64) {
        let known = usize::try_from(number.saturating_sub(self.first)).unwrap_or(usize::MAX);
        self.pieces.drain(..known.min(self.pieces.len()));
        self.first = self.first.max(number);
        let stale = self.latest.partition_point(|(other, _)| *other < number);
        self.latest.drain(..stale);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hears_what_is_new_to_it() {
        let mut news = News::default();
        let piece = |until| Piece { node: NodeId(0), from: SimTime::ZERO, until: SimTime::from_secs(until) };
        [5, 9, 3, 4].map(piece).into_iter().for_each(|piece| news.add(piece));
        let until = |news: &News, from| news.until(from).as_micros() / 1_000_000;
        assert_eq!([0, 1, 2, 3, 4].map(|from| until(&news, from)), [9, 9, 4, 4, 0]);
        news.forget_before(2);
        assert_eq!([2, 3, 4].map(|from| until(&news, from)), [4, 4, 0]);
        assert_eq!((news.since(3).len(), news.since(9).len(), news.next()), (1, 0, 4));
        news.forget_before(7);
        assert_eq!((news.next(), news.since(0).len()), (7, 0));
        news.add(piece(1));
        assert_eq!((until(&news, 7), news.next()), (1, 8));
    }
}
