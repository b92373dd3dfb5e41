//! What the site's rules mean for one job, looked up once when it arrives.

use std::sync::Arc;

use switchyard_model::{ArrayTask, Destination, JobSpec, Limits, Partition, Site};

use super::Machines;
use super::holdings::Sums;
use crate::Request;
use crate::consumables::LicenceNeed;
use crate::eligibility::Hold;
use crate::limits::{Cap, Holder, Used, exceeded_by_one};

/// The rules for a job that needs more than room. The default is a job that doesn't.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rules {
    /// Its place at the site.
    pub(crate) partition: Option<usize>,
    /// What its partition's tier has above the lowest one.
    pub(crate) tier: u16,
    /// It shares its nodes with nobody.
    pub(crate) exclusive: bool,
    /// It needs GPUs of a single NVSwitch domain.
    pub(crate) one_domain: bool,
    /// The advance reservation that it runs in: its place at the site.
    pub(crate) reservation: Option<usize>,
    /// It has to wait for others.
    pub(crate) after: bool,
    /// The array whose throttle holds it back.
    pub(crate) array: Option<ArrayTask>,
    /// Limits on running sums that it counts for.
    pub(crate) caps: Vec<Cap>,
    /// The licences that it needs, each kind once.
    pub(crate) licences: Vec<LicenceNeed>,
    /// The most nodes that its partition lets it have.
    pub(crate) max_nodes: Option<u32>,
    /// Its partition starts no jobs.
    pub(crate) down: bool,
    /// Why it can never run, if it can't.
    pub(crate) never: Option<Hold>,
}

impl Rules {
    /// The rules for a job, or `None` when nothing but room can hold it back.
    pub(super) fn of(
        site: &Site,
        spec: &JobSpec,
        request: &Request,
        machines: &Machines,
        sums: &mut Sums,
    ) -> Option<Arc<Rules>> {
        let destination = site.destination(&spec.terms);
        let place = match destination {
            Destination::Partition(place) => Some(place),
            Destination::Anywhere | Destination::Unknown => None,
        };
        let partition = place.and_then(|place| site.partitions.get(place));
        let reserved = spec.terms.reservation.as_ref();
        let reservation =
            reserved.and_then(|name| site.reservations.iter().position(|other| other.name == *name));
        let least = Used { jobs: 1, amount: request.total, nodes: machines.least_nodes(request) };
        let limits = limits_on(site, spec);
        let mut rules = Rules {
            partition: place,
            tier: partition.map_or(0, |partition| partition.tier.saturating_sub(1)),
            exclusive: is_exclusive(spec, partition),
            one_domain: wants_one_domain(spec),
            reservation,
            after: !spec.terms.after.is_empty(),
            array: spec.terms.array.filter(|task| task.throttle > 0),
            caps: Vec::new(),
            licences: licences(site, spec),
            max_nodes: partition.and_then(|partition| partition.max_nodes),
            down: partition.is_some_and(|partition| partition.down),
            never: None,
        };
        for (holder, limits) in &limits {
            for (mut cap, user) in Cap::of(*holder, limits, &spec.user) {
                cap.sum = sums.number(*holder, user);
                rules.caps.push(cap);
            }
        }
        rules.never = match destination {
            Destination::Unknown => Some(Hold::UnknownPartition),
            _ => rules.forbids(site, spec, &least, &limits),
        };
        (rules != Rules::default()).then(|| Arc::new(rules))
    }

    /// What forbids the job for good.
    fn forbids(
        &self,
        site: &Site,
        spec: &JobSpec,
        least: &Used,
        limits: &[(Holder, &Limits)],
    ) -> Option<Hold> {
        let partition = self.partition.and_then(|place| site.partitions.get(place));
        if let Some(partition) = partition {
            if partition.max_time.is_some_and(|most| spec.limit > most) {
                return Some(Hold::PartitionTime);
            }
            if partition.max_nodes.is_some_and(|most| least.nodes > most) {
                return Some(Hold::PartitionNodes { nodes: least.nodes });
            }
        }
        if spec.terms.reservation.is_some() {
            let reservation = self.reservation.and_then(|place| site.reservations.get(place));
            match reservation {
                None => return Some(Hold::ReservationGone),
                Some(reservation) if !reservation.admits(spec) => return Some(Hold::ReservationDenied),
                Some(reservation) if spec.limit > reservation.end.since(reservation.start) => {
                    return Some(Hold::ReservationTooShort);
                }
                Some(_) => {}
            }
        }
        let exceeded = limits.iter().find_map(|(holder, limits)| {
            let (scope, excess) = exceeded_by_one(limits, spec.limit, least)?;
            Some(Hold::Limit { holder: *holder, scope, excess })
        });
        let known = |name: &Arc<str>| site.licences.get(name).copied().unwrap_or(0);
        let asks = &spec.terms.licences;
        let in_all = |name: &Arc<str>| -> u64 {
            asks.iter().filter(|ask| ask.name == *name).map(|ask| u64::from(ask.count)).sum()
        };
        let beyond = asks.iter().position(|ask| in_all(&ask.name) > u64::from(known(&ask.name)));
        exceeded.or(beyond.map(|ask| Hold::TooManyLicences { ask }))
    }
}

/// Whether a job shares its nodes with nobody.
pub(super) fn is_exclusive(spec: &JobSpec, partition: Option<&Partition>) -> bool {
    spec.terms.exclusive || partition.is_some_and(|partition| partition.exclusive)
}

/// Whether a job needs GPUs of a single NVSwitch domain.
pub(super) fn wants_one_domain(spec: &JobSpec) -> bool {
    spec.terms.one_domain && spec.shape.total().gpus > 0
}

/// Everyone whose limits count for a job: its quality of service, its user in its account, the account and those above.
fn limits_on<'a>(site: &'a Site, spec: &JobSpec) -> Vec<(Holder, &'a Limits)> {
    let mut found = Vec::new();
    let qos = spec.terms.qos.as_ref();
    let qos = qos.and_then(|name| (0..).zip(&site.qos).find(|(_, qos)| qos.name == *name));
    found.extend(qos.map(|(place, qos)| (Holder::Qos(place), &qos.limits)));
    let mut associations = (0..).zip(&site.associations);
    let own = associations
        .find(|(_, own)| own.account == spec.account && own.user.as_ref() == Some(&spec.user))
        .map(|(place, own)| (Holder::Association(place), &own.limits));
    found.extend(own);
    let mut account = Some(&spec.account);
    // As many steps as there are associations: a circle of parents ends.
    for _ in &site.associations {
        let mut associations = (0..).zip(&site.associations);
        let above = associations.find(|(_, other)| other.user.is_none() && Some(&other.account) == account);
        let Some((place, above)) = above else { break };
        found.push((Holder::Association(place), &above.limits));
        account = above.parent.as_ref();
    }
    found
}

/// The licences that a job needs and the site has, each kind once.
fn licences(site: &Site, spec: &JobSpec) -> Vec<LicenceNeed> {
    let mut needs: Vec<LicenceNeed> = Vec::new();
    for ask in spec.terms.licences.iter().filter(|ask| ask.count > 0) {
        let Some(kind) = site.licences.keys().position(|name| *name == ask.name) else { continue };
        match needs.iter_mut().find(|need| need.kind == kind) {
            Some(need) => need.count = need.count.saturating_add(ask.count),
            None => needs.push(LicenceNeed { kind, count: ask.count }),
        }
    }
    needs
}
