//! The pictures of a replay.

use switchyard_model::SimTime;
use switchyard_scheduler::Run;
use switchyard_scheduler::metrics::{Curves, Series};

use crate::args::ReplayArgs;
use crate::chart::{self, Chart, Gantt, Panels, Theme};
use crate::failure::Failure;
use crate::fleet::described;
use crate::setting::Setting;

const WIDTH: u32 = 1200;
const HEIGHT: u32 = 260;

/// Writes those that are asked for.
pub(crate) fn write(args: &ReplayArgs, setting: &Setting, run: &Run) -> Result<(), Failure> {
    let Setting { workload, fleet, policy, .. } = setting;
    if let Some(path) = &args.curves {
        let curves = Curves::of(run, &workload.jobs);
        chart::write(path, &panels(setting, &curves, run))?;
    }
    if let Some(path) = &args.gantt {
        let caption = format!("{} on {}, {}", workload.name, described(fleet), policy.name);
        chart::write(path, &Gantt::new(run, fleet, caption, WIDTH, Theme::light()))?;
    }
    Ok(())
}

fn panels<'a>(setting: &Setting, curves: &'a Curves, run: &Run) -> Panels<'a> {
    let until = run.spans.iter().map(|span| span.end).max().unwrap_or(SimTime::ZERO);
    let all = setting.fleet.capacity();
    let panel = |what: &str, series: &'a Series, whole: Option<f64>| Chart {
        caption: Some(what.to_owned()),
        curves: vec![series],
        until,
        whole,
        stretch: None,
        size: (WIDTH, HEIGHT),
        theme: Theme::light(),
    };
    let mut panels = vec![
        panel(
            &format!("{}, {}: jobs that wait", setting.workload.name, setting.policy.name),
            &curves.pending,
            None,
        ),
        panel("jobs that run", &curves.running, None),
        panel("CPUs in use", &curves.cpus, Some(f64::from(all.cpus.max(1)))),
    ];
    if all.gpus > 0 {
        panels.push(panel("GPUs in use", &curves.gpus, Some(f64::from(all.gpus))));
    }
    Panels(panels)
}
