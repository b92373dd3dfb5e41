//! The command line's part about how to schedule: a policy by its name, and what is changed in it.

use clap::ValueEnum;
use switchyard_scheduler::{Discipline, Order, PlacementRule, PodPolicy, Policy};

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Policy")]
pub(crate) struct PolicyArgs {
    /// The policy by its name; `switchyard policies` lists them
    #[arg(long, value_name = "NAME", value_parser = policy, required_unless_present = "slurm_conf", long_help = policies())]
    pub(crate) policy: Option<Policy>,

    #[command(flatten)]
    pub(crate) changes: PolicyChangeArgs,
}

/// What is changed in a policy.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Policy")]
pub(crate) struct PolicyChangeArgs {
    /// Another order of the queue
    #[arg(long, value_name = "NAME", value_parser = order, long_help = orders())]
    pub(crate) order: Option<String>,

    /// Another rule of who may pass whom
    #[arg(long, value_name = "NAME", value_parser = discipline, long_help = disciplines())]
    pub(crate) discipline: Option<String>,

    /// Another choice of nodes
    #[arg(long, value_name = "NAME", value_parser = placement, long_help = placements())]
    pub(crate) placement: Option<String>,

    /// One parameter of the policy, as slurm.conf spells it; may be repeated
    ///
    /// Those of SchedulerParameters go to the discipline slurm (bf_window=2880), Priority... to the order multifactor
    /// (PriorityWeightAge=1000, PriorityMaxAge=7-0), Preempt... to --preempt (PreemptMode=CANCEL, GraceTime=300).
    #[arg(long = "param", value_name = "KEY=VALUE", value_parser = parameter)]
    pub(crate) params: Vec<(String, String)>,

    /// Jobs make room for others by these rights; with the discipline slurm
    #[arg(long, value_enum, value_name = "RIGHT")]
    pub(crate) preempt: Option<PreemptArg>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PreemptArg {
    /// A quality of service that lists the other; without --site each may preempt those of lower priority
    Qos,
    /// A partition of a higher tier
    Partition,
}

impl PreemptArg {
    /// The value of Slurm's `PreemptType`.
    pub(crate) const fn type_name(self) -> &'static str {
        match self {
            PreemptArg::Qos => "preempt/qos",
            PreemptArg::Partition => "preempt/partition_prio",
        }
    }
}

pub(crate) fn policy(name: &str) -> Result<Policy, String> {
    if PodPolicy::named(name).is_ok() {
        return Err(format!("{name} places pods, not jobs; use it as `switchyard pods --policy {name}`"));
    }
    Policy::named(name).map_err(|error| error.to_string())
}

/// Any policy will do to see whether a part has that name.
fn part(name: &str, change: impl Fn(Policy, &str) -> Result<Policy, String>) -> Result<String, String> {
    let any = Policy::named("fcfs").map_err(|error| error.to_string())?;
    change(any, name).map(|_| name.to_owned())
}

fn order(name: &str) -> Result<String, String> {
    part(name, |policy, name| policy.with_order(name).map_err(|error| error.to_string()))
}

fn discipline(name: &str) -> Result<String, String> {
    part(name, |policy, name| policy.with_discipline(name).map_err(|error| error.to_string()))
}

fn placement(name: &str) -> Result<String, String> {
    part(name, |policy, name| policy.with_placement(name).map_err(|error| error.to_string()))
}

pub(crate) fn parameter(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').unwrap_or((text, ""));
    let key = key.trim();
    if key.is_empty() || key.contains(char::is_whitespace) {
        return Err("write KEY=VALUE, for example bf_window=2880".to_owned());
    }
    Ok((key.to_owned(), value.trim().to_owned()))
}

/// Names and what they stand for, one to a line.
fn list(title: &str, rows: impl Iterator<Item = (&'static str, &'static str)>) -> String {
    let rows: Vec<_> = rows.collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = rows.iter().map(|(name, sentence)| format!("\n  {name:width$}  {sentence}"));
    format!("{title}:{}", lines.collect::<String>())
}

fn policies() -> String {
    format!("The policy by its name, with its order / discipline / placement:{}", policy_lines())
}

/// One line for each policy: its name, its parts, what it does.
pub(crate) fn policy_lines() -> String {
    let parts = |name: &str| {
        let policy = Policy::named(name).ok()?;
        Some([policy.order.name(), policy.discipline.name(), policy.placement.name()].join(" / "))
    };
    let rows: Vec<_> =
        policy_rows().map(|(name, sentence)| (name, parts(name).unwrap_or_default(), sentence)).collect();
    let names = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    let made = rows.iter().map(|row| row.1.len()).max().unwrap_or(0);
    rows.iter()
        .map(|(name, parts, sentence)| format!("\n  {name:names$}  {parts:made$}  {sentence}"))
        .collect()
}

/// All policies with their sentences.
fn policy_rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    Policy::NAMES.into_iter().map(|name| (name, Policy::sentence(name).unwrap_or_default()))
}

fn orders() -> String {
    list("Another order of the queue", order_rows())
}

/// All orders with their sentences.
pub(crate) fn order_rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let plain = Order::NAMES.into_iter().filter_map(Order::named);
    let lab = Policy::named("seed-lab-easy").ok().map(|policy| policy.order);
    plain.chain(lab).map(|order| (order.name(), order.sentence()))
}

fn disciplines() -> String {
    list("Another rule of who may pass whom", discipline_rows())
}

/// All disciplines with their sentences.
pub(crate) fn discipline_rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let named = Discipline::NAMES.into_iter().filter_map(Discipline::named);
    named.map(|discipline| (discipline.name(), discipline.sentence()))
}

fn placements() -> String {
    list("Another choice of nodes", placement_rows())
}

/// All placements with their sentences.
pub(crate) fn placement_rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    PlacementRule::ALL.into_iter().map(|rule| (rule.name(), rule.sentence()))
}
