//! Random fleets, sites and jobs with terms.

use std::fmt;
use std::sync::Arc;

use proptest::option::weighted;
use proptest::prelude::*;
use switchyard_model::{
    AdvanceReservation, ArrayTask, Association, Dependency, DependencyKind, Fleet, FleetSpec, Job, JobId,
    JobSpec, LicenceAsk, Limits, NodeClass, NodeId, Oracle, Partition, PerMille, Qos, ResourceCap, Resources,
    Shape, SimDuration, Site, Terms, Truth,
};

use crate::harness::at;

/// A workload on a site.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) fleet: Arc<Fleet>,
    pub(crate) site: Arc<Site>,
    pub(crate) jobs: Vec<Job>,
}

/// A line for each node, partition and job: what proptest prints is read by people.
impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for node in self.fleet.nodes() {
            writeln!(f, "{} {:?} {:?} {:?}", node.id, node.capacity, node.gpu_model, node.features)?;
        }
        self.site.partitions.iter().try_for_each(|partition| writeln!(f, "{partition:?}"))?;
        self.site.qos.iter().try_for_each(|qos| writeln!(f, "{qos:?}"))?;
        self.site.associations.iter().try_for_each(|association| writeln!(f, "{association:?}"))?;
        writeln!(f, "{:?} {:?}", self.site.licences, self.site.reservations)?;
        for Job { spec, truth } in &self.jobs {
            let (id, user, account, submit, limit) =
                (spec.id, &spec.user, &spec.account, spec.submit, spec.limit);
            let runtime = Oracle::new().runtime(truth);
            writeln!(
                f,
                "job {id} of {user}/{account} at {submit} for {limit}, really {runtime}: {:?}",
                spec.shape
            )?;
            writeln!(f, "    {:?}", spec.terms)?;
        }
        Ok(())
    }
}

/// Everything there is.
pub(crate) fn cases() -> impl Strategy<Value = Case> {
    fleets().prop_flat_map(|fleet| {
        let nodes = fleet.nodes().len() as u32;
        (Just(fleet), sites(nodes), jobs(terms().boxed())).prop_map(|(fleet, site, jobs)| Case {
            fleet,
            site: Arc::new(site),
            jobs,
        })
    })
}

/// Only what a head can be protected from: no moment lets somebody in before it, no limit keeps it out.
pub(crate) fn simple_cases() -> impl Strategy<Value = Case> {
    fleets().prop_flat_map(|fleet| {
        let nodes = fleet.nodes().len() as u32;
        let parts = (partitions(nodes), licences(), reservations(nodes));
        let site = parts.prop_map(|(partitions, licences, reservations)| Site {
            partitions: partitions.into_iter().map(|partition| Partition { tier: 1, ..partition }).collect(),
            licences,
            reservations,
            ..Site::default()
        });
        let simple = terms().prop_map(|terms| Terms {
            partition: terms.partition,
            licences: terms.licences,
            exclusive: terms.exclusive,
            features: terms.features,
            gpu_models: terms.gpu_models,
            ..Terms::default()
        });
        (Just(fleet), site, jobs(simple.boxed())).prop_map(|(fleet, site, jobs)| Case {
            fleet,
            site: Arc::new(site),
            jobs,
        })
    })
}

fn fleets() -> impl Strategy<Value = Arc<Fleet>> {
    let node = (4u32..=8, 1u32..=4).prop_map(|(cpus, gpus)| Resources { cpus, gpus, memory_mib: 64 });
    let class = (2u32..=5, node, any::<bool>());
    prop::collection::vec(class, 1..=2).prop_map(|classes| {
        let class = |(i, (count, node, ib)): (usize, (u32, Resources, bool))| NodeClass {
            gpu_model: Some(["a100", "h100"][i].into()),
            features: if ib { vec!["ib".into()] } else { vec![] },
            ..NodeClass::new(&format!("c{i}-"), count, node)
        };
        let classes = classes.into_iter().enumerate().map(class).collect();
        Arc::new(FleetSpec::of("small", classes).build().unwrap())
    })
}

fn some_nodes(nodes: u32) -> impl Strategy<Value = Vec<NodeId>> {
    prop::sample::subsequence((0..nodes).map(NodeId).collect::<Vec<_>>(), 1..=nodes as usize)
}

fn partitions(nodes: u32) -> impl Strategy<Value = Vec<Partition>> {
    let secs = |secs: Option<u64>| secs.map(SimDuration::from_secs);
    let partition = (
        weighted(0.4, some_nodes(nodes)),
        weighted(0.2, 20u64..50),
        weighted(0.3, 1u32..4),
        1u16..4,
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.06),
    );
    prop::collection::vec(partition, 0..=2).prop_map(move |rows| {
        let partition =
            |(name, (nodes, max_time, max_nodes, tier, exclusive, down)): (&str, (_, _, _, _, _, _))| {
                let max_time = secs(max_time);
                Partition { max_time, max_nodes, tier, exclusive, down, ..Partition::new(name, nodes) }
            };
        ["p", "q"].into_iter().zip(rows).map(partition).collect()
    })
}

fn caps(often: f64) -> impl Strategy<Value = Option<ResourceCap>> {
    let cap = (weighted(0.7, 4u32..20), weighted(0.3, 2u32..8), weighted(0.3, 2u32..6));
    weighted(often, cap.prop_map(|(cpus, gpus, nodes)| ResourceCap { cpus, gpus, nodes, memory_mib: None }))
}

fn limits() -> impl Strategy<Value = Limits> {
    (
        weighted(0.3, 1u32..4),
        weighted(0.3, 1u32..3),
        caps(0.3),
        caps(0.3),
        caps(0.1),
        weighted(0.1, 20u64..50),
    )
        .prop_map(|(jobs, jobs_per_user, running, running_per_user, per_job, wall)| {
            let wall = wall.map(SimDuration::from_secs);
            Limits { jobs, jobs_per_user, running, running_per_user, per_job, wall }
        })
}

fn licences() -> impl Strategy<Value = std::collections::BTreeMap<Arc<str>, u32>> {
    (2u32..6, 0u32..3).prop_map(|(a, b)| [("a".into(), a), ("b".into(), b)].into())
}

/// Up to two, one after the other, so that they can share nodes.
fn reservations(nodes: u32) -> impl Strategy<Value = Vec<AdvanceReservation>> {
    let row = (0u64..60, 1u64..60, some_nodes(nodes), prop::bool::weighted(0.8));
    prop::collection::vec(row, 0..=2).prop_map(|rows| {
        let mut from = 0;
        let mut kept = Vec::new();
        for (name, (gap, length, nodes, for_ada)) in ["r", "s"].into_iter().zip(rows) {
            let start = from + gap;
            from = start + length;
            let users = if for_ada { vec!["ada".into()] } else { vec![] };
            let (start, end) = (at(start), at(from));
            kept.push(AdvanceReservation { name: name.into(), start, end, nodes, users, accounts: vec![] });
        }
        kept
    })
}

fn sites(nodes: u32) -> impl Strategy<Value = Site> {
    let qos = (limits(), limits()).prop_map(|(low, high)| {
        let qos = |name: &str, limits| Qos { name: name.into(), limits, ..Qos::default() };
        vec![qos("low", low), qos("high", high)]
    });
    let associations = (limits(), limits(), limits()).prop_map(|(all, research, ada)| {
        let own = |account: &str, user: Option<&str>, parent: Option<&str>, limits| Association {
            account: account.into(),
            user: user.map(Into::into),
            parent: parent.map(Into::into),
            shares: 1,
            limits,
        };
        vec![
            own("all", None, None, all),
            own("research", None, Some("all"), research),
            own("research", Some("ada"), None, ada),
        ]
    });
    let parts =
        (partitions(nodes), weighted(0.5, qos), weighted(0.4, associations), licences(), reservations(nodes));
    parts.prop_map(|(partitions, qos, associations, licences, reservations)| Site {
        partitions,
        qos: qos.unwrap_or_default(),
        associations: associations.unwrap_or_default(),
        licences,
        reservations,
    })
}

fn terms() -> impl Strategy<Value = Terms> {
    let name = |names: &[&'static str]| prop::sample::select(names.to_vec());
    let kind = prop::sample::select(vec![
        DependencyKind::After,
        DependencyKind::AfterAny,
        DependencyKind::AfterOk,
        DependencyKind::AfterNotOk,
    ]);
    let after = (0u64..10, kind).prop_map(|(job, kind)| Dependency { job: JobId(job), kind });
    let array = (0u64..2, 1u32..3).prop_map(|(array, throttle)| ArrayTask {
        array: JobId(array),
        index: 0,
        throttle,
    });
    let licence = (name(&["a", "b", "c"]), 1u32..4);
    (
        weighted(0.5, name(&["p", "p", "p", "p", "q"])),
        weighted(0.6, name(&["low", "high"])),
        weighted(0.15, 0u64..120),
        weighted(0.12, after),
        weighted(0.25, array),
        weighted(0.3, licence),
        prop::bool::weighted(0.1),
        weighted(0.08, name(&["ib"])),
        weighted(0.08, name(&["a100", "h100"])),
        weighted(0.12, name(&["r", "r", "s"])),
    )
        .prop_map(
            |(partition, qos, begin, after, array, licence, exclusive, feature, model, reservation)| Terms {
                // Most jobs go somewhere.
                partition: partition.filter(|name| *name != "none").map(Into::into),
                qos: qos.map(Into::into),
                begin: begin.map_or(at(0), at),
                after: after.into_iter().collect(),
                array: array.map(|task| ArrayTask { throttle: 1 + u32::from(task.array.0 == 0), ..task }),
                licences: licence
                    .into_iter()
                    .map(|(name, count)| LicenceAsk {
                        name: name.into(),
                        count: if name == "c" { 0 } else { count },
                    })
                    .collect(),
                exclusive,
                features: feature.into_iter().map(Into::into).collect(),
                gpu_models: model.into_iter().map(Into::into).collect(),
                reservation: reservation.map(Into::into),
                ..Terms::default()
            },
        )
}

fn jobs(terms: BoxedStrategy<Terms>) -> impl Strategy<Value = Vec<Job>> {
    let piece = (1u32..=4, 0u32..=1);
    let piece = piece.prop_map(|(cpus, gpus)| Resources { cpus, gpus, memory_mib: 0 });
    let shape = (1u32..=3, piece, any::<bool>()).prop_map(|(parts, each, nodes)| match nodes {
        true => Shape::Nodes { nodes: parts, per_node: each },
        false => Shape::Tasks { tasks: parts, per_task: each },
    });
    let people = prop::sample::select(vec![("ada", "research"), ("bob", "research"), ("eve", "infra")]);
    let job = (0u64..60, 1u64..50, 1u64..60, shape, people, terms);
    prop::collection::vec(job, 1..20).prop_map(|rows| {
        let job = |(id, (submit, limit, runtime, shape, (user, account), terms))| {
            let id: usize = id;
            let spec = JobSpec {
                id: JobId(id as u64),
                user: Arc::<str>::from(user),
                account: Arc::<str>::from(account),
                submit: at(submit),
                limit: SimDuration::from_secs(limit),
                shape,
                qos: PerMille(0),
                terms,
            };
            Job { spec: Arc::new(spec), truth: Truth::new(SimDuration::from_secs(runtime)) }
        };
        rows.into_iter().enumerate().map(job).collect()
    })
}
