//! A job, explained.

use switchyard_model::{JobId, NodeId, Outcome};
use switchyard_sim::{JobRecord, JobState, World};

use super::{FreeBars, InspectorView, Tone, act};
use crate::accounts::Accounts;
use crate::intent::Intent;
use crate::mark::Mark;
use crate::policy::{EXPECTED, Expected};
use crate::queue::{Why, pending, planned_starts};
use crate::stage::Thing;
use crate::topbar::relative;
use crate::words::{clock, listed, node_name, node_names, shape, span, unit};

pub(super) fn view(world: &World, accounts: &Accounts, job: JobId) -> Option<InspectorView> {
    let mut view = InspectorView::new(world, Thing::Job(job));
    let Some(record) = world.book().job(job) else {
        return not_accepted_yet(world, accounts, job, view);
    };
    view.account = Some(accounts.number(&record.spec.account));
    match record.state {
        JobState::Pending => waits(world, record, job, &mut view),
        JobState::Running => runs(world, record, &mut view),
        JobState::Finished(outcome) => has_ended(record, outcome, &mut view),
    }
    about(&record.spec, &mut view);
    if record.attempt > 1 || (record.attempt == 1 && record.state == JobState::Pending) {
        view.fact("attempts", format!("{} so far", record.attempt));
    }
    Some(view)
}

fn about(spec: &switchyard_model::JobSpec, view: &mut InspectorView) {
    view.fact("asks", format!("{}, {}", shape(&spec.shape), span(spec.limit)));
    view.fact("account", format!("{} · {}", spec.account, spec.user));
    view.fact("submitted", clock(spec.submit));
}

/// The workload has it, the book has not.
fn not_accepted_yet(
    world: &World,
    accounts: &Accounts,
    job: JobId,
    mut view: InspectorView,
) -> Option<InspectorView> {
    let spec = &world.job(job)?.spec;
    view.account = Some(accounts.number(&spec.account));
    view.chip("not accepted yet", Tone::Plain, None);
    view.headline = if spec.submit > world.now() {
        format!("Will be submitted at {}.", clock(spec.submit))
    } else {
        "Submitted; the login host asks until a leader accepts it.".to_owned()
    };
    about(spec, &mut view);
    Some(view)
}

fn waits(world: &World, record: &JobRecord, job: JobId, view: &mut InspectorView) {
    let queue = pending(world);
    let place = queue.iter().position(|(waiting, _)| *waiting == job);
    let why = place.and_then(|place| queue.get(place)).map_or(Why::NotSeenYet, |(_, why)| why.clone());
    let place = place.map_or(String::new(), |place| format!(", {}", ordinal(place as u64 + 1)));
    view.chip(format!("pending{place}"), Tone::Plain, None);
    view.headline = why.sentence();
    view.evidence = why.evidence();
    view.bars = free_bars(world, record);
    let promised =
        world.plan().and_then(|plan| plan.head_reservation()).is_some_and(|first| first.job == job);
    if !promised {
        let planned = planned_starts(world).get(&job).copied();
        let expected = Expected::of(planned, &why);
        view.fact("expected", format!("to start: {}", expected.long(world.now())));
        view.about(expected.about());
    }
    if let Some(reservation) = world.plan().and_then(|plan| plan.head_reservation())
        && reservation.job == job
    {
        let at = format!("{}, {}", clock(reservation.at), relative(world.now(), reservation.at));
        view.fact("starts by", at);
        view.about(EXPECTED);
        view.fact("kept free", node_names(world.fleet(), &reservation.nodes));
        match reservation.waits_for.as_slice() {
            [] => {}
            [one] => {
                let words = format!("job {one}, which ends by then at the latest");
                view.link("waits for", words, Thing::Job(*one));
            }
            several => {
                let names: Vec<String> = several.iter().map(ToString::to_string).collect();
                view.fact("waits for", format!("jobs {}", listed(&names)));
            }
        }
    }
    view.fact("waits", span(world.now().since(record.spec.submit)));
    view.fact("Slurm says", why.slurm());
}

fn free_bars(world: &World, record: &JobRecord) -> Option<FreeBars> {
    let cluster = world.leader()?.0.lead()?.cluster()?;
    let fleet = world.fleet();
    let units = |resources: &switchyard_model::Resources| crate::words::units_of(fleet, resources);
    let free = |state: &switchyard_scheduler::NodeState| if state.available { units(&state.free) } else { 0 };
    let free: Vec<u32> = cluster.nodes().iter().map(free).collect();
    let need = units(record.spec.shape.parts().1);
    let last = NodeId(u32::try_from(free.len().checked_sub(1)?).ok()?);
    Some(FreeBars {
        about: format!("free {}s per node; line = {need} needed", unit(fleet)),
        need,
        ends: (node_name(fleet, NodeId(0)), node_name(fleet, last)),
        free,
    })
}

fn runs(world: &World, record: &JobRecord, view: &mut InspectorView) {
    let fleet = world.fleet();
    view.chip("running", Tone::Plain, None);
    if record.backfilled {
        view.chip("backfilled", Tone::Plain, Some(Mark::Backfilled));
    }
    let end = record.started_at + record.spec.limit;
    view.headline = format!("Ends by {}, {}.", clock(end), relative(world.now(), end));
    view.evidence = "It may end before its limit; nobody knows when.".to_owned();
    let nodes: Vec<NodeId> = record.placement.nodes().collect();
    match nodes.as_slice() {
        [one] => view.link("runs on", node_name(fleet, *one), Thing::Node(*one)),
        several => view.fact("runs on", node_names(fleet, several)),
    }
    let total = record.placement.total();
    let units = u64::from(crate::words::units_of(fleet, &total));
    view.fact("holds", crate::words::counted(units, unit(fleet)));
    view.fact(
        "runs since",
        format!("{}, {}", clock(record.started_at), relative(world.now(), record.started_at)),
    );
    view.fact("waited", span(record.started_at.since(record.spec.submit)));
    view.acts.push(act(Intent::CutSelected, "Cut off its nodes"));
}

fn has_ended(record: &JobRecord, outcome: Outcome, view: &mut InspectorView) {
    let (chip, headline) = match outcome {
        Outcome::Completed => ("completed", "It ran to its end."),
        Outcome::TimeLimit => ("time limit", "It was stopped at its time limit."),
        Outcome::Failed => ("failed", "It ended with an error of its own."),
        Outcome::NodeFail => ("node failure", "A node under it was lost."),
        Outcome::Preempted => ("preempted", "It had to make room for another job."),
    };
    view.chip(chip, Tone::Plain, None);
    view.headline = headline.to_owned();
    view.fact("ended", clock(record.ended_at));
    view.fact("ran", span(record.ended_at.since(record.started_at)));
    view.fact("waited", span(record.started_at.since(record.spec.submit)));
}

fn ordinal(n: u64) -> String {
    let suffix = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_people_do() {
        let said = [1, 2, 3, 4, 11, 12, 13, 21, 112].map(ordinal);
        assert_eq!(said, ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th"]);
    }
}
