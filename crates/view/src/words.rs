//! Names, figures and times in writing, so that every part of the page says them in the same way.

use switchyard_model::{Fleet, JobId, NodeId, RackId, Resources, Shape, SimDuration, SimTime};
use switchyard_sim::{Endpoint, World};

use crate::stage::Thing;

/// `n` with commas: `3,600`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 node`, `3 nodes`.
pub fn counted(n: u64, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(n))
}

/// `part` of `whole` in per cent with one digit: `92.2 %`.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0 %".to_owned();
    }
    format!("{:.1} %", part as f64 * 100.0 / whole as f64)
}

/// What is scarce in this fleet, in the singular: `GPU`, or `CPU` where there are no GPUs.
pub fn unit(fleet: &Fleet) -> &'static str {
    if fleet.has_gpus() { "GPU" } else { "CPU" }
}

/// How much of what is scarce these resources are.
pub fn units_of(fleet: &Fleet, resources: &Resources) -> u32 {
    if fleet.has_gpus() { resources.gpus } else { resources.cpus }
}

/// The time of day, `HH:MM:SS`.
pub fn clock(at: SimTime) -> String {
    let secs = at.as_micros() / 1_000_000;
    format!("{:02}:{:02}:{:02}", secs / 3_600 % 24, secs / 60 % 60, secs % 60)
}

/// The time of day with milliseconds, `HH:MM:SS.mmm`.
pub fn clock_millis(at: SimTime) -> String {
    format!("{}.{:03}", clock(at), at.as_micros() / 1_000 % 1_000)
}

/// The day, counted from 1.
pub fn day(at: SimTime) -> u64 {
    at.as_micros() / 86_400_000_000 + 1
}

/// A duration without the digits that don't matter: whole seconds, from a second on.
pub fn span(duration: SimDuration) -> String {
    let micros = duration.as_micros();
    let whole = if micros >= 1_000_000 { micros - micros % 1_000_000 } else { micros };
    SimDuration::from_micros(whole).to_string()
}

/// A node's host name.
pub fn node_name(fleet: &Fleet, node: NodeId) -> String {
    fleet.node(node).map_or_else(|| format!("node {node}"), |node| node.name.to_string())
}

/// A rack's name: `R1` is the first.
pub fn rack_name(rack: RackId) -> String {
    format!("R{}", u64::from(rack.0) + 1)
}

/// Several nodes, in short: `n05`, `n05 and n07`, `n05 to n08`, `n05, n07 and 6 more`.
pub fn node_names(fleet: &Fleet, nodes: &[NodeId]) -> String {
    let consecutive = nodes.windows(2).all(|pair| matches!(pair, [a, b] if a.0.checked_add(1) == Some(b.0)));
    let name = |node: &NodeId| node_name(fleet, *node);
    match nodes {
        [] => "no node".to_owned(),
        [one] => name(one),
        [first, .., last] if consecutive && nodes.len() > 2 => format!("{} to {}", name(first), name(last)),
        [first, second] => format!("{} and {}", name(first), name(second)),
        [first, second, third] => format!("{}, {} and {}", name(first), name(second), name(third)),
        [first, second, ..] => format!("{}, {} and {} more", name(first), name(second), nodes.len() - 2),
    }
}

/// An end of a link.
pub fn endpoint_name(fleet: &Fleet, endpoint: Endpoint) -> String {
    match endpoint {
        Endpoint::Replica(replica) => replica.letter().to_string(),
        Endpoint::Node(node) => node_name(fleet, node),
        Endpoint::Login => "the login host".to_owned(),
    }
}

/// A side of a partition, in short: `A, B and rack R1`.
pub fn side_name<'a>(fleet: &Fleet, side: impl IntoIterator<Item = &'a Endpoint>) -> String {
    let (mut names, mut nodes) = (Vec::new(), Vec::new());
    let mut login = false;
    for endpoint in side {
        match endpoint {
            Endpoint::Replica(replica) => names.push(replica.letter().to_string()),
            Endpoint::Node(node) => nodes.push(*node),
            Endpoint::Login => login = true,
        }
    }
    for rack in fleet.racks() {
        if rack.nodes.iter().all(|node| nodes.contains(node)) {
            nodes.retain(|node| !rack.nodes.contains(node));
            names.push(format!("rack {}", rack_name(rack.id)));
        }
    }
    if !nodes.is_empty() {
        names.push(node_names(fleet, &nodes));
    }
    if login {
        names.push("the login host".to_owned());
    }
    listed(&names)
}

/// `a`, `a and b`, `a, b and c`; after five, how many more.
pub fn listed(names: &[String]) -> String {
    match names {
        [] => "nobody".to_owned(),
        [one] => one.clone(),
        [head @ .., last] if names.len() <= 6 => format!("{} and {last}", head.join(", ")),
        head => format!("{} and {} more", head[..5].join(", "), head.len() - 5),
    }
}

/// What a job asks for: `4 nodes × 8 GPUs`, `25 CPUs`, `3 tasks × 2 CPUs`.
pub fn shape(shape: &Shape) -> String {
    let (parts, each) = shape.parts();
    let amount = amount(each);
    match shape {
        Shape::Nodes { .. } => format!("{} × {amount}", counted(parts.into(), "node")),
        Shape::Tasks { per_task, .. } if *per_task == Resources::cpus(1) => counted(parts.into(), "CPU"),
        Shape::Tasks { .. } if parts == 1 => amount,
        Shape::Tasks { .. } => format!("{} × {amount}", counted(parts.into(), "task")),
    }
}

/// What a job asks for, in a narrow column: `4 × 8`, `25`.
pub fn shape_short(shape: &Shape) -> String {
    let (parts, each) = shape.parts();
    let amount = if each.gpus > 0 { each.gpus } else { each.cpus };
    match shape {
        Shape::Tasks { .. } if amount == 1 => grouped(parts.into()),
        _ => format!("{} × {}", grouped(parts.into()), grouped(amount.into())),
    }
}

fn amount(each: &Resources) -> String {
    if each.gpus > 0 { counted(each.gpus.into(), "GPU") } else { counted(each.cpus.into(), "CPU") }
}

/// What a thing is called in a sentence.
pub fn thing_name(world: &World, thing: Thing) -> String {
    let fleet = world.fleet();
    match thing {
        Thing::Node(node) => format!("Node {}", node_name(fleet, node)),
        Thing::Slot(node, slot) => format!("{} {} of {}", unit(fleet), slot + 1, node_name(fleet, node)),
        Thing::Replica(replica) => format!("Replica {}", replica.letter()),
        Thing::Job(JobId(job)) => format!("Job {job}"),
        Thing::Rack(rack) => format!("Rack {}", rack_name(rack)),
        Thing::Leaf(rack) => format!("Leaf switch of {}", rack_name(rack)),
        Thing::Spine(number) => format!("Spine switch {}", u32::from(number) + 1),
        Thing::Signal => "The signal".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use switchyard_model::{FleetSpec, ReplicaId};

    #[test]
    fn figures_are_grouped_and_carry_their_unit() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(percent(236, 256), "92.2 %");
        assert_eq!(percent(0, 0), "0 %");
        assert_eq!(counted(1, "node"), "1 node");
    }

    #[test]
    fn times_of_day_count_days_from_one() {
        let at = SimTime::from_micros((86_400 + 49_200) * 1_000_000 + 120_999);
        assert_eq!((clock(at), day(at)), ("13:40:00".to_owned(), 2));
        assert_eq!(clock_millis(at), "13:40:00.120");
        assert_eq!(span(SimDuration::from_millis(12_999)), "12 s");
        assert_eq!(span(SimDuration::from_millis(12)), "12 ms");
    }

    #[test]
    fn shapes_and_sides_read_as_people_say_them() {
        let per_node = Resources { cpus: 64, gpus: 8, memory_mib: 0 };
        let whole = Shape::Nodes { nodes: 4, per_node };
        assert_eq!((shape(&whole), shape_short(&whole)), ("4 nodes × 8 GPUs".into(), "4 × 8".into()));
        let tasks = Shape::Tasks { tasks: 25, per_task: Resources::cpus(1) };
        assert_eq!((shape(&tasks), shape_short(&tasks)), ("25 CPUs".into(), "25".into()));

        let fleet = FleetSpec::yard().build().unwrap();
        let node = |id| Endpoint::Node(NodeId(id));
        let side = [Endpoint::Replica(ReplicaId(0)), node(0), node(1), node(2), node(3), node(7)];
        assert_eq!(side_name(&fleet, &side), "A, rack R1 and n08");
        assert_eq!(node_names(&fleet, &[4, 5, 6].map(NodeId)), "n05 to n07");
        assert_eq!(node_names(&fleet, &[4, 6, 9, 11].map(NodeId)), "n05, n07 and 2 more");
    }
}
