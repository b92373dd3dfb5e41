//! The logs of all replicas side by side, aligned by index.

use switchyard_model::ReplicaId;
use switchyard_raft::{Role, Status};
use switchyard_sim::{Entry, NodeState, Op, Replica, World};

use crate::mark::Mark;

/// Columns that are shown: the last entries of the longest log.
const COLUMNS: u64 = 40;

/// The logs.
#[derive(Clone, Debug, PartialEq)]
pub struct RaftView {
    /// Index of the first column.
    pub first: u64,
    /// Number of columns.
    pub columns: usize,
    /// The term of each column, by the longest committed knowledge there is.
    pub bands: Vec<TermBand>,
    /// The highest index that is known to be committed.
    pub committed: u64,
    /// One row for each replica.
    pub rows: Vec<RaftRow>,
    /// Messages that were lost lately, and that are on their way, in words.
    pub traffic: String,
}

/// Neighbouring columns of one term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermBand {
    /// The term.
    pub term: u64,
    /// Its first column, from 0.
    pub from: usize,
    /// One past its last column.
    pub to: usize,
}

/// A replica's log.
#[derive(Clone, Debug, PartialEq)]
pub struct RaftRow {
    /// Which replica.
    pub id: ReplicaId,
    /// Its letter.
    pub letter: char,
    /// What it is, in a word.
    pub role: &'static str,
    /// The mark of what it is, if it has one.
    pub mark: Option<Mark>,
    /// Its term.
    pub term: u64,
    /// What is left of its election timeout, 0 to 1; none for leaders and the dead.
    pub timer: Option<f32>,
    /// The same in words.
    pub timer_words: String,
    /// Its cells, one for each column.
    pub cells: Vec<Cell>,
    /// Up to here it knows its log to be committed.
    pub commit: u64,
    /// Up to here its log is applied.
    pub applied: u64,
    /// Up to here its log would survive a crash.
    pub durable: u64,
    /// Up to here its leader knows the two logs to agree; none for the leader itself.
    pub matched: Option<u64>,
}

/// A place in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nothing there.
    Empty,
    /// An entry.
    Entry {
        /// In which term a leader wrote it.
        term: u64,
        /// What it is, in a word.
        word: &'static str,
        /// How safe it is there.
        safety: Safety,
    },
    /// A dead replica has something on its disk.
    OnDisk,
}

/// How safe an entry is on a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Safety {
    /// In memory only: a crash loses it.
    Volatile,
    /// On the disk.
    Durable,
    /// The replica knows that it is committed.
    Committed,
}

impl RaftView {
    /// The logs of a world.
    pub fn of(world: &World) -> Self {
        let last = world.replicas().iter().map(last_index).max().unwrap_or(0);
        let first = last.saturating_sub(COLUMNS - 1).max(1);
        let columns = usize::try_from(last + 1 - first.min(last + 1)).unwrap_or(0);
        let leader = world.leader().and_then(|(leader, _)| Some(leader.raft()?.status()));
        let rows: Vec<RaftRow> = world
            .replicas()
            .iter()
            .map(|replica| row(world, replica, leader.as_ref(), first, last))
            .collect();
        RaftView {
            first,
            columns,
            bands: bands(&rows, columns),
            committed: rows.iter().map(|row| row.commit).max().unwrap_or(0),
            rows,
            traffic: traffic(world),
        }
    }
}

fn traffic(world: &World) -> String {
    let flying = crate::words::counted(world.flights().len() as u64, "message");
    match world.losses().len() {
        0 => format!("{flying} on the way"),
        lost => format!("{flying} on the way, {lost} lost lately"),
    }
}

fn last_index(replica: &Replica) -> u64 {
    replica.raft().map_or_else(|| replica.disk().durable_index(), |raft| raft.log().last_index())
}

fn row(world: &World, replica: &Replica, leader: Option<&Status>, first: u64, last: u64) -> RaftRow {
    let id = replica.id();
    let Some(raft) = replica.raft() else {
        let durable = replica.disk().durable_index();
        let cell = |index| if index <= durable { Cell::OnDisk } else { Cell::Empty };
        return RaftRow {
            id,
            letter: id.letter(),
            role: "down",
            mark: Some(Mark::Cross),
            term: 0,
            timer: None,
            timer_words: String::new(),
            cells: (first..=last).map(cell).collect(),
            commit: 0,
            applied: 0,
            durable,
            matched: None,
        };
    };
    let status = raft.status();
    let cell = |index| match raft.log().entry(index) {
        None => Cell::Empty,
        Some(entry) => Cell::Entry {
            term: entry.term,
            word: word(&entry.data),
            safety: match () {
                () if index <= status.commit => Safety::Committed,
                () if index <= status.durable_index => Safety::Durable,
                () => Safety::Volatile,
            },
        },
    };
    let (role, mark) = role(status.role);
    let timer = timer(&status);
    let peer = leader.filter(|leader| leader.id != status.id);
    let matched = peer.and_then(|leader| leader.peers.iter().find(|peer| peer.id == status.id));
    RaftRow {
        id,
        letter: id.letter(),
        role,
        mark,
        term: status.term,
        timer,
        timer_words: timer_words(world, &status),
        cells: (first..=last).map(cell).collect(),
        commit: status.commit,
        applied: replica.applied(),
        durable: status.durable_index,
        matched: matched.map(|peer| peer.match_index),
    }
}

/// A role's word and mark.
pub const fn role(role: Role) -> (&'static str, Option<Mark>) {
    match role {
        Role::Follower => ("follower", None),
        Role::PreCandidate => ("asks around", Some(Mark::Election)),
        Role::Candidate => ("candidate", Some(Mark::Election)),
        Role::Leader => ("leader", Some(Mark::Crown)),
    }
}

/// What is left of an election timeout, 0 to 1.
pub fn timer(status: &Status) -> Option<f32> {
    if status.role == Role::Leader || status.election_timeout == 0 {
        return None;
    }
    let left = status.election_timeout.saturating_sub(status.election_elapsed);
    Some(left as f32 / status.election_timeout as f32)
}

/// What is left of an election timeout, in words.
pub fn timer_words(world: &World, status: &Status) -> String {
    if status.role == Role::Leader {
        return String::new();
    }
    let left = status.election_timeout.saturating_sub(status.election_elapsed);
    format!("{:.1} s", f64::from(left) * world.timing().tick_micros as f64 / 1e6)
}

/// An entry in a word.
fn word(data: &[u8]) -> &'static str {
    if data.is_empty() {
        return "no-op";
    }
    match Entry::decode(data) {
        Some(Entry::Request(request)) => match request.op {
            Op::Submit(_) => "job",
            Op::SetBackfill(_) => "switch",
            Op::SetPolicy(_) => "policy",
        },
        Some(Entry::Start { .. }) => "start",
        Some(Entry::Finish { .. }) => "end",
        Some(Entry::Requeue { .. }) => "requeue",
        Some(Entry::Node { state: NodeState::Up, .. }) => "up",
        Some(Entry::Node { state: NodeState::Suspect, .. }) => "suspect",
        Some(Entry::Node { state: NodeState::Down, .. }) => "down",
        Some(Entry::Node { state: NodeState::Joining, .. }) => "node",
        None => "?",
    }
}

/// The bands over the columns: each column has the highest term that stands there.
fn bands(rows: &[RaftRow], columns: usize) -> Vec<TermBand> {
    let term_at = |column: usize| {
        let terms = rows.iter().filter_map(|row| match row.cells.get(column)? {
            Cell::Entry { term, .. } => Some(*term),
            Cell::Empty | Cell::OnDisk => None,
        });
        terms.max().unwrap_or(0)
    };
    let mut bands: Vec<TermBand> = Vec::new();
    for column in 0..columns {
        let term = term_at(column);
        match bands.last_mut() {
            Some(band) if band.term == term => band.to = column + 1,
            _ => bands.push(TermBand { term, from: column, to: column + 1 }),
        }
    }
    bands
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::{job, pass, world};
    use switchyard_sim::Command;

    #[test]
    fn logs_agree_and_are_committed_when_nothing_is_wrong() {
        let world = world(2, vec![job(7, "a", 1, 10, 1)], 60);
        let view = RaftView::of(&world);
        assert_eq!(view.rows.len(), 5);
        assert_eq!(view.first, 1);
        let leader = view.rows.iter().find(|row| row.mark == Some(Mark::Crown)).unwrap();
        assert_eq!((leader.matched, leader.timer), (None, None));
        for row in &view.rows {
            assert_eq!(row.cells.len(), view.columns);
            assert_eq!(row.cells, leader.cells);
            assert!(row.timer.is_none_or(|left| (0.0..=1.0).contains(&left)));
        }
        let words: Vec<_> = leader
            .cells
            .iter()
            .filter_map(|cell| match cell {
                Cell::Entry { word, safety: Safety::Committed, .. } => Some(*word),
                _ => None,
            })
            .collect();
        assert_eq!(words.first(), Some(&"no-op"));
        for word in ["job", "start", "end", "up"] {
            assert!(words.contains(&word), "{word} in {words:?}");
        }
    }

    #[test]
    fn a_dead_replica_shows_what_its_disk_holds_and_a_new_term_begins_a_band() {
        let mut world = world(2, vec![job(7, "a", 1, 10, 1)], 60);
        let old = world.leader().unwrap().0.id();
        world.apply(Command::CrashReplica(old)).unwrap();
        pass(&mut world, 30);
        let view = RaftView::of(&world);
        let dead = &view.rows[old.index()];
        assert_eq!(dead.role, "down");
        assert_eq!(dead.cells.first(), Some(&Cell::OnDisk));
        assert_eq!(dead.cells.last(), Some(&Cell::Empty), "the no-op of the new term is not on its disk");
        assert_eq!(view.bands.len(), 2);
        assert_eq!(view.bands.last().unwrap().to, view.columns);
        assert!(view.rows.iter().filter(|row| row.matched.is_some()).count() == 3);
    }

    #[test]
    fn only_the_last_columns_of_a_long_log_are_shown() {
        let jobs = (1..=30).map(|id| job(id, "a", id, 5, 1)).collect();
        let view = RaftView::of(&world(4, jobs, 200));
        assert_eq!(view.columns, 40);
        assert!(view.first > 40);
    }
}
