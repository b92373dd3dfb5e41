//! Orders by a score: one number for each job, lowest first.

use switchyard_model::{Resources, SimTime};

use super::Order;
use crate::Pending;

/// The score of a job now, lowest first. `None` for orders that aren't by score.
///
/// r is the time limit in seconds, n the processors (GPUs, if the job wants some), s the submission in seconds since the start
/// of the trace, w the time waited. Where a formula takes the logarithm of 0, the score is minus infinity; only F1 takes
/// 0.1 instead of 0, as the authors' code does.
pub(super) fn score(order: &Order, job: &Pending, now: SimTime) -> Option<f64> {
    let Resources { cpus, gpus, .. } = job.request.total;
    let n = f64::from(if gpus > 0 { gpus } else { cpus });
    let r = job.spec.limit.as_secs_f64();
    let s = job.submitted.as_secs_f64();
    let w = now.since(job.submitted).as_secs_f64();
    let at_least = |x: f64| if x > 0.0 { x } else { 0.1 };
    Some(match order {
        Order::Fifo => 0.0,
        Order::Shortest => r,
        Order::Largest => -n,
        Order::Smallest => n,
        Order::Wfp3 => -cube(ratio(w, r)) * n,
        Order::Unicep => -ratio(w, libm::log2(n) * r),
        Order::F1 => libm::log10(at_least(r)) * n + 870.0 * libm::log10(at_least(s)),
        Order::F2 => libm::sqrt(r) * n + 25_600.0 * libm::log10(s),
        Order::F3 => r * n + 6.86e6 * libm::log10(s),
        Order::F4 => r * libm::sqrt(n) + 5.3e5 * libm::log10(s),
        Order::Multifactor(_) => return None,
    })
}

/// Whether the score of a waiting job changes as time goes on.
pub(super) const fn changes_with_time(order: &Order) -> bool {
    matches!(order, Order::Wfp3 | Order::Unicep)
}

fn cube(x: f64) -> f64 {
    x * x * x
}

/// 0 / 0 is no wait at all; anything else by 0 is endless.
fn ratio(a: f64, b: f64) -> f64 {
    if a > 0.0 { a / b } else { 0.0 }
}
