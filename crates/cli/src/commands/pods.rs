//! `switchyard pods`: pods on GPU nodes, one at a time, against a placement policy.

use std::sync::Arc;

use switchyard_model::{PodNode, PodSpec};
use switchyard_scheduler::{PodOptions, PodRun, TypicalPods, run_pods};
use switchyard_workload::{inflate, openb, shuffled};

use crate::args_pods::{OrderArg, PodsArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::open;
use crate::show::{self, placements, pods_json, pods_table};

/// What is run and shown.
pub(crate) struct Setting {
    pub(crate) workload: String,
    pub(crate) nodes: Vec<PodNode>,
    /// In the order in which they come.
    pub(crate) pods: Vec<PodSpec>,
}

pub(crate) fn run(args: &PodsArgs) -> Result<Exit, Failure> {
    let name = open::name_of(&args.nodes);
    let (nodes, report) = openb::read_nodes(&name, &open::bytes_of(&args.nodes)?)?;
    show::say(&format!("{name}: {report}"));
    let name = open::name_of(&args.pods);
    let (original, report) = openb::read_pods(&name, &open::bytes_of(&args.pods)?)?;
    show::say(&format!("{name}: {report}"));

    let typical = Some(Arc::new(TypicalPods::of(&original)));
    let setting = Setting { workload: name, pods: incoming(args, original, &nodes)?, nodes };
    let options = PodOptions { seed: args.seed, ties: args.ties().rule(), typical };
    let run = run_pods(&setting.nodes, &setting.pods, args.policy, &options);
    say_not_scheduled(&setting, &run);
    if let Some(path) = &args.placements {
        placements::write(path, &setting, &run)?;
    }
    let page = if args.json {
        pods_json::page(args, &setting, &run)
    } else {
        pods_table::page(args, &setting, &run)
    };
    show::result(&page)?;
    Ok(if run.scheduled() == 0 { Exit::NoProgress } else { Exit::Ok })
}

/// The pods in their order, brought to the demand.
fn incoming(args: &PodsArgs, pods: Vec<PodSpec>, nodes: &[PodNode]) -> Result<Vec<PodSpec>, Failure> {
    let pods = match args.order() {
        OrderArg::File => pods,
        OrderArg::Shuffled => shuffled(&pods, args.seed),
    };
    let Some(demand) = args.demand else { return Ok(pods) };
    let capacity = nodes.iter().map(PodNode::total_gpu_milli).sum();
    Ok(inflate(&pods, capacity, demand, args.seed)?)
}

fn say_not_scheduled(setting: &Setting, run: &PodRun) {
    let mut refused = setting.pods.iter().zip(&run.outcomes).filter_map(|(pod, outcome)| {
        let reason = outcome.as_ref().err()?;
        Some((&pod.name, reason))
    });
    let Some((pod, reason)) = refused.next() else { return };
    let pods = match 1 + refused.count() {
        1 => "1 pod was not scheduled".to_owned(),
        count => format!("{count} pods were not scheduled, the first"),
    };
    show::say(&format!("{pods}: {pod}: {reason} {}", reason.evidence()));
}
