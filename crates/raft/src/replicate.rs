//! What a leader sends to whom: as many entries as the follower's window admits, or an empty append where one is due.
//!
//! Sending is put off until the driver asks for its [`Ready`](crate::Ready), so that proposals made together travel together.

use rand::Rng;

use crate::config::Config;
use crate::log::Log;
use crate::machine::{Machine, RoleState};
use crate::message::{Body, Index, PeerId};
use crate::progress::{Pace, Progress};

/// Whether something is due to this follower.
fn owes(progress: &Progress, log: &Log, config: &Config) -> bool {
    let paused = progress.is_paused(config.max_inflight);
    let entries = progress.next <= log.last_index() && !paused;
    match progress.pace {
        Pace::Probe => !paused && (entries || progress.nudge),
        Pace::Replicate => entries || progress.nudge || progress.commit_sent < log.commit(),
    }
}

/// The next append for this follower, and the last index in it.
fn next_append(progress: &Progress, log: &Log, config: &Config, round: u64) -> (Body, Option<Index>) {
    let prev_index = progress.next - 1;
    let entries = if progress.is_paused(config.max_inflight) {
        Vec::new()
    } else {
        let limit = config.max_entries_per_message as Index;
        log.entries(progress.next, prev_index.saturating_add(limit)).to_vec()
    };
    let last = entries.last().map(|entry| entry.index);
    let body = Body::Append {
        prev_index,
        prev_term: log.term_at(prev_index).unwrap_or(0),
        entries,
        commit: log.commit(),
        round,
    };
    (body, last)
}

impl<R: Rng> Machine<R> {
    /// Whether an append is due to anyone.
    pub(crate) fn owes_append(&self) -> bool {
        match &self.role {
            RoleState::Leader(leadership) => {
                leadership.progress.values().any(|progress| owes(progress, &self.log, &self.config))
            }
            _ => false,
        }
    }

    /// Queues all appends that are due.
    pub(crate) fn send_appends(&mut self) {
        let RoleState::Leader(leadership) = &mut self.role else {
            return;
        };
        let mut appends: Vec<(PeerId, Body)> = Vec::new();
        for (&peer, progress) in &mut leadership.progress {
            while owes(progress, &self.log, &self.config) {
                let (body, last) = next_append(progress, &self.log, &self.config, self.clock);
                progress.on_sent(last, self.log.commit());
                appends.push((peer, body));
            }
        }
        for (peer, body) in appends {
            self.send(peer, body);
        }
    }
}
