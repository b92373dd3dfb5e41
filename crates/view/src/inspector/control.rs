//! Replicas of the control plane and the signal, explained.

use switchyard_model::ReplicaId;
use switchyard_sim::{Endpoint, World};

use super::machine::is_cut;
use super::{InspectorView, Tone, act};
use crate::intent::Intent;
use crate::mark::Mark;
use crate::policy::PolicyView;
use crate::queue::pending;
use crate::raft;
use crate::stage::Thing;
use crate::switch::SwitchView;
use crate::words::{counted, span};

pub(super) fn replica(world: &World, id: ReplicaId) -> Option<InspectorView> {
    let replica = world.replicas().get(id.index())?;
    let mut view = InspectorView::new(world, Thing::Replica(id));
    let cut = is_cut(world, Endpoint::Replica(id));
    match replica.raft() {
        None => {
            let durable = replica.disk().durable_index();
            view.chip("down", Tone::Bad, Some(Mark::Cross));
            view.headline = format!("Its process is dead; its disk holds the log up to index {durable}.");
            view.evidence = "When it restarts it reads that, and gets the rest from the leader.".to_owned();
            view.fact("on disk", format!("{durable} of {} entries", world.highest_applied().max(durable)));
        }
        Some(core) => running(world, &core.status(), replica.applied(), &mut view),
    }
    if cut {
        view.chip("cut off", Tone::Bad, Some(Mark::Cut));
    }
    view.acts_of_hosts(world, cut);
    Some(view)
}

fn running(world: &World, status: &switchyard_raft::Status, applied: u64, view: &mut InspectorView) {
    let letter = |peer: u64| u32::try_from(peer).map_or('?', |peer| ReplicaId(peer).letter());
    let (word, mark) = raft::role(status.role);
    let tone = match status.role {
        switchyard_raft::Role::Leader => Tone::Leader,
        switchyard_raft::Role::Follower => Tone::Plain,
        _ => Tone::Warn,
    };
    view.chip(word, tone, mark);
    let timeout = span(world.timing().election_timeout_max());
    let (headline, evidence) = match (status.role, status.leader) {
        (switchyard_raft::Role::Leader, _) => (
            "It leads: it takes requests, runs the scheduler, and starts jobs.".to_owned(),
            "A decision is real when a majority of replicas has written it.".to_owned(),
        ),
        (switchyard_raft::Role::Follower, Some(leader)) => (
            format!("It follows {} and writes what that one sends.", letter(leader)),
            format!("If it hears nothing until its timer runs out, within {timeout}, it asks for votes."),
        ),
        (switchyard_raft::Role::Follower, None) => (
            "It knows no leader and waits for its timer.".to_owned(),
            "Timers are random, so that rarely two ask at once.".to_owned(),
        ),
        (switchyard_raft::Role::PreCandidate, _) => (
            "It asks whether it could win an election.".to_owned(),
            "It does so without raising its term, so that a replica that was cut off disturbs nobody."
                .to_owned(),
        ),
        (switchyard_raft::Role::Candidate, _) => (
            format!("It asks for votes in term {}.", status.term),
            format!("{} of {} so far.", counted(status.granted.len() as u64, "vote"), world.replicas().len()),
        ),
    };
    view.headline = headline;
    view.evidence = evidence;
    view.fact("term", status.term.to_string());
    view.fact("log", format!("{} written, {} on disk", status.last_index, status.durable_index));
    view.fact("committed", format!("{}, applied {applied}", status.commit));
    if let Some(vote) = status.vote {
        view.fact("voted for", letter(vote).to_string());
    }
    let timer = raft::timer_words(world, status);
    if !timer.is_empty() {
        view.fact("timer", format!("{timer} left"));
    }
    for peer in &status.peers {
        let words = format!("{} agrees up to {}", letter(peer.id), peer.match_index);
        let id = ReplicaId(u32::try_from(peer.id).unwrap_or(u32::MAX));
        view.link("follower", words, Thing::Replica(id));
    }
    if let Some(leader) = status.leader.filter(|leader| *leader != status.id) {
        let id = ReplicaId(u32::try_from(leader).unwrap_or(u32::MAX));
        view.link("leader", letter(leader).to_string(), Thing::Replica(id));
    }
}

pub(super) fn signal(world: &World) -> InspectorView {
    let mut view = InspectorView::new(world, Thing::Signal);
    let queue = pending(world);
    match queue.first() {
        None => {
            view.chip("nobody waits", Tone::Plain, None);
            view.headline = "No job waits.".to_owned();
        }
        Some((job, why)) => {
            view.chip(if world.plan().is_some() { "wait" } else { "dark" }, Tone::Plain, None);
            view.headline = format!("Job {job} is first in line. {}", why.sentence());
            view.evidence = why.evidence();
            view.link("first", format!("job {job}"), Thing::Job(*job));
        }
    }
    view.fact("queue", counted(queue.len() as u64, "job"));
    let (policy, backfill) = (PolicyView::of(world), SwitchView::of(world));
    view.fact("policy", policy.state());
    view.about(policy.words());
    view.fact(
        "backfill",
        match (backfill.asked, backfill.on) {
            (Some(_), _) => backfill.state(),
            (None, true) => "on: jobs may pass the first if they don't delay it".to_owned(),
            (None, false) => "off: strictly in order".to_owned(),
        },
    );
    view.about(backfill.words);
    view.acts.push(act(Intent::ShowPolicies(true), "Another policy"));
    view.acts.push(act(Intent::ToggleBackfill, &backfill.act));
    view
}
