//! Strict and EASY passes: start what fits in order; at the first job that doesn't, a gate for those behind it.

use switchyard_model::JobId;

use super::{Gate, Refusal, reservation};
use crate::Reservation;
use crate::explain::Verdict;
use crate::forecast::{Passing, forecast};
use crate::pass::Pass;
use crate::ranking::{Key, Sieve};
use crate::releases::Releases;

/// The first job that didn't fit.
#[derive(Clone, Debug)]
struct Head {
    key: Key,
    /// Who may pass it; `None` when nobody may.
    gate: Option<Gate>,
}

/// What stands between passes: as long as nothing ends, the head and its gate stay as they are, and whoever was refused would
/// be refused again, since there is no more room than before and less time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing {
    head: Option<Head>,
}

impl Standing {
    pub(crate) fn run(&mut self, pass: &mut Pass<'_>, planned: &[JobId]) {
        if !pass.explains && pass.changes.only_arrivals(planned) && self.still_stands(pass) {
            self.consider_arrivals(pass);
        } else {
            self.head = None;
            self.consider_all(pass);
        }
        if pass.explains {
            forecast(pass, if pass.policy.has_backfill() { Passing::NoDelay } else { Passing::Nobody });
        }
    }

    /// Whether everyone who arrived is behind the head, or there is no head since nobody had to wait.
    fn still_stands(&self, pass: &Pass<'_>) -> bool {
        match &self.head {
            Some(head) => pass.changes.arrived.first().is_none_or(|first| *first > head.key),
            None => pass.ranking.len() == pass.changes.arrived.len(),
        }
    }

    fn consider_arrivals(&mut self, pass: &mut Pass<'_>) {
        for &key in &pass.changes.arrived {
            self.consider(key, pass);
        }
        self.promise(pass);
    }

    fn consider_all(&mut self, pass: &mut Pass<'_>) {
        let ranking = pass.ranking;
        if pass.explains {
            ranking.keys().for_each(|key| self.consider(key, pass));
            return self.promise(pass);
        }
        let mut keys = ranking.keys();
        let head = loop {
            let Some(key) = keys.next() else { return };
            self.consider(key, pass);
            if self.head.is_some() {
                break key;
            }
        };
        self.promise(pass);
        let Some(sieve) = self.sieve(pass) else { return };
        ranking.sift(Some(head), sieve, |key| {
            self.consider(key, pass);
            self.sieve(pass)
        });
    }

    /// Who behind the head could still start.
    fn sieve(&self, pass: &Pass<'_>) -> Option<Sieve> {
        let gate = self.head.as_ref()?.gate.as_ref()?;
        let fleet = pass.cluster.capacity();
        let free = pass.room.free();
        let spare = gate.spare(&free).unwrap_or(free);
        let nothing_left = free.cpus == 0 && free.gpus == 0;
        (!nothing_left).then(|| Sieve { free, left: gate.shadow().since(pass.now), spare, fleet })
    }

    /// Looks at the next job in the queue.
    fn consider(&mut self, key: Key, pass: &mut Pass<'_>) {
        let Some(job) = pass.job(key) else { return };
        if let Some(verdict) = pass.out_of_the_race(job) {
            return pass.note(job, verdict);
        }
        let Some(head) = &mut self.head else {
            match pass.place(job) {
                Some(placement) => pass.start(job, placement, false),
                None => {
                    self.head = Some(Head { key, gate: open(pass, job) });
                    pass.note(job, Verdict::NoRoom);
                }
            }
            return;
        };
        let Some(gate) = &mut head.gate else {
            return pass.note(job, Verdict::BehindHead { head: head.key.job });
        };
        match gate.pass(job, pass.room, pass.policy.placement, pass.now) {
            Ok(placement) => pass.start(job, placement, true),
            Err(Refusal::NoRoom) => pass.note(job, Verdict::NoRoom),
            Err(Refusal::WouldDelay) => {
                let verdict = Verdict::WouldDelay { head: head.key.job, until: gate.shadow() };
                pass.note(job, verdict);
            }
        }
    }

    /// Writes the head's reservation into the plan.
    fn promise(&self, pass: &mut Pass<'_>) {
        let Some(Head { key, gate: Some(gate) }) = &self.head else { return };
        if pass.explains || !pass.reservations.is_empty() {
            return;
        }
        let promise =
            Reservation { job: key.job, at: gate.shadow(), nodes: Vec::new(), waits_for: Vec::new() };
        pass.reservations.push(promise);
    }
}

/// Opens the gate behind a head; for onlookers with the nodes that are kept for it.
fn open(pass: &mut Pass<'_>, head: &crate::Pending) -> Option<Gate> {
    if pass.policy.discipline == super::Discipline::Strict {
        return None;
    }
    let chosen = pass.starts.iter().map(|(job, start)| (*job, &start.placement));
    let releases = Releases::new(pass.cluster, chosen, pass.now);
    let gate = Gate::open(&pass.policy.discipline, head, pass.room, &releases, pass.now)?;
    if pass.explains {
        let promise = reservation(head, gate.shadow(), pass.room, &releases);
        pass.reservations.push(promise);
    }
    Some(gate)
}
