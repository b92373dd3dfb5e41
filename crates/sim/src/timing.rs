//! Every duration of the world in one place, with the reason for its size.

use serde::{Deserialize, Serialize};
use switchyard_model::SimDuration;

/// No duration in a computer room is longer, and sums of such stay far from where numbers end.
const DAY_MICROS: u64 = 86_400_000_000;
/// More ticks than this are no election timeout.
const TICKS_MAX: u32 = 10_000;

/// How long things take and how long they are waited for. All values in microseconds where written as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Timing {
    /// One tick of a replica's Raft clock.
    pub tick_micros: u64,
    /// A follower waits this many ticks, plus up to as many again, before it stands for election.
    pub election_ticks: u32,
    /// A leader speaks at least this often, in ticks.
    pub heartbeat_ticks: u32,
    /// Shortest time of a message through leaf, spine and the software on both ends.
    pub latency_micros: u64,
    /// Added to it, drawn evenly for each message.
    pub jitter_micros: u64,
    /// Share of messages lost on every link, in millionths.
    pub loss_ppm: u32,
    /// Shortest time until a write is on the disk for good (fsync).
    pub fsync_micros: u64,
    /// Added to it, drawn evenly for each write.
    pub fsync_jitter_micros: u64,
    /// A node agent reports to the leader this often.
    pub report_micros: u64,
    /// A node may run jobs this long after it sent a report that the leader answered.
    pub lease_micros: u64,
    /// A node that was silent this long gets no new jobs.
    pub suspect_micros: u64,
    /// A client asks again, elsewhere, after this long without an answer.
    pub client_retry_micros: u64,
    /// The leader gathers changes this long before it runs a scheduling pass.
    pub pass_delay_micros: u64,
}

impl Default for Timing {
    /// Heartbeats twice a second and election timeouts of 2 to 4 s in coarse ticks, so that a simulated hour is cheap; a
    /// lease of four reports, so that three may be lost.
    fn default() -> Self {
        Timing {
            tick_micros: 250_000,
            election_ticks: 8,
            heartbeat_ticks: 2,
            latency_micros: 2_000,
            jitter_micros: 1_000,
            loss_ppm: 0,
            fsync_micros: 4_000,
            fsync_jitter_micros: 2_000,
            report_micros: 5_000_000,
            lease_micros: 20_000_000,
            suspect_micros: 11_000_000,
            client_retry_micros: 1_000_000,
            pass_delay_micros: 5_000,
        }
    }
}

impl Timing {
    /// One tick.
    pub(crate) const fn tick(&self) -> SimDuration {
        SimDuration::from_micros(self.tick_micros)
    }

    /// The lease that an answered report is worth.
    pub const fn lease(&self) -> SimDuration {
        SimDuration::from_micros(self.lease_micros)
    }

    /// The longest election timeout.
    pub const fn election_timeout_max(&self) -> SimDuration {
        SimDuration::from_micros(self.tick_micros * 2 * self.election_ticks as u64)
    }

    /// The first value that makes no sense, as a sentence.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        let durations = [
            self.tick_micros,
            self.latency_micros,
            self.jitter_micros,
            self.fsync_micros,
            self.fsync_jitter_micros,
            self.report_micros,
            self.lease_micros,
            self.suspect_micros,
            self.client_retry_micros,
            self.pass_delay_micros,
        ];
        if durations.into_iter().any(|micros| micros > DAY_MICROS) || self.election_ticks > TICKS_MAX {
            Some("a duration in timing is longer than a day, or election_ticks is above 10000")
        } else if self.tick_micros == 0 {
            Some("timing.tick_micros is 0; a Raft clock needs at least 1")
        } else if self.heartbeat_ticks == 0 || self.election_ticks <= self.heartbeat_ticks {
            Some("timing.election_ticks must be larger than timing.heartbeat_ticks, and both at least 1")
        } else if self.report_micros == 0 || self.report_micros >= self.suspect_micros {
            Some("timing.report_micros must be at least 1 and shorter than timing.suspect_micros")
        } else if self.suspect_micros > self.lease_micros {
            Some("timing.suspect_micros must not be longer than timing.lease_micros")
        } else if self.client_retry_micros == 0 {
            Some("timing.client_retry_micros is 0; a client needs some patience")
        } else if self.loss_ppm > 1_000_000 {
            Some("timing.loss_ppm is above 1000000 (every message lost)")
        } else {
            None
        }
    }
}
