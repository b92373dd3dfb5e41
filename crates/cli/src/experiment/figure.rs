//! The figures by which policies are compared.

use switchyard_scheduler::metrics::{Better, P95_RULE, definition};
use switchyard_scheduler::{SlowdownRule, UtilisationOf};

use super::trial::Trial;

/// A figure of a run.
pub(crate) struct Figure {
    /// The name in JSON, as `replay --json` has it.
    pub(crate) key: &'static str,
    /// The name for people.
    pub(crate) name: &'static str,
    pub(crate) unit: FigureUnit,
    pub(crate) better: Better,
    pub(crate) value: fn(&Trial) -> f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FigureUnit {
    Seconds,
    Minutes,
    Hours,
    Ratio,
    /// Of 1; shown in per cent, differences in percentage points.
    Share,
}

impl FigureUnit {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            FigureUnit::Seconds => "s",
            FigureUnit::Minutes => "min",
            FigureUnit::Hours => "h",
            FigureUnit::Ratio => "ratio",
            FigureUnit::Share => "share",
        }
    }

    /// What stands behind the name in a table.
    pub(crate) const fn head(self) -> &'static str {
        match self {
            FigureUnit::Seconds => ", s",
            FigureUnit::Minutes => ", min",
            FigureUnit::Hours => ", h",
            FigureUnit::Ratio => "",
            FigureUnit::Share => ", %",
        }
    }

    /// A unit that keeps numbers short, given the largest of them.
    pub(crate) fn for_people(self, largest: f64) -> FigureUnit {
        match self {
            FigureUnit::Seconds if largest >= 60_000.0 * 60.0 => FigureUnit::Hours,
            FigureUnit::Seconds if largest >= 6_000.0 => FigureUnit::Minutes,
            unit => unit,
        }
    }

    /// The value, which is in the figure's own unit, as tables show it.
    pub(crate) fn shown(self, value: f64) -> String {
        match self {
            FigureUnit::Seconds => format!("{value:.1}"),
            FigureUnit::Minutes => format!("{:.1}", value / 60.0),
            FigureUnit::Hours => format!("{:.1}", value / 3600.0),
            FigureUnit::Ratio => format!("{value:.2}"),
            FigureUnit::Share => format!("{:.2}", value * 100.0),
        }
    }

    /// A difference, with its sign.
    pub(crate) fn signed(self, value: f64) -> String {
        let shown = self.shown(value);
        let nothing = !shown.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
        match shown.strip_prefix('-') {
            Some(rest) if nothing => rest.to_owned(),
            Some(rest) => format!("\u{2212}{rest}"),
            None if nothing => shown,
            None => format!("+{shown}"),
        }
    }
}

const MEAN_WAIT: Figure = Figure {
    key: "mean_wait_s",
    name: "mean wait",
    unit: FigureUnit::Seconds,
    better: Better::Lower,
    value: |trial| trial.summary.mean_wait_secs,
};

const P95_WAIT: Figure = Figure {
    key: "p95_wait_s",
    name: "95th percentile wait",
    unit: FigureUnit::Seconds,
    better: Better::Lower,
    value: |trial| trial.summary.p95_wait_secs,
};

const SLOWDOWN: Figure = Figure {
    key: "mean_bounded_slowdown",
    name: "bounded slowdown",
    unit: FigureUnit::Ratio,
    better: Better::Lower,
    value: |trial| trial.summary.mean_bounded_slowdown,
};

const UTILISATION: Figure = Figure {
    key: "utilisation",
    name: "utilisation",
    unit: FigureUnit::Share,
    better: Better::Higher,
    value: |trial| trial.summary.utilisation,
};

const GPU_UTILISATION: Figure = Figure {
    key: "gpu_utilisation",
    name: "GPU utilisation",
    unit: FigureUnit::Share,
    better: Better::Higher,
    value: |trial| trial.gpu_utilisation.unwrap_or_default(),
};

/// Those that say something about a fleet with or without GPUs.
pub(crate) fn all(gpus: bool) -> Vec<&'static Figure> {
    let mut all = vec![&MEAN_WAIT, &P95_WAIT, &SLOWDOWN, &UTILISATION];
    if gpus {
        all.push(&GPU_UTILISATION);
    }
    all
}

impl Figure {
    /// What it means, in words.
    pub(crate) fn definition(&self, slowdown: SlowdownRule) -> String {
        match self.key {
            "mean_wait_s" => format!("mean over jobs that started of: {}", definition::WAIT.formula),
            "p95_wait_s" => format!("of the waits, {P95_RULE}; a wait is {}", definition::WAIT.formula),
            "mean_bounded_slowdown" => format!("mean over finished jobs of {}", slowdown.definition()),
            "gpu_utilisation" => UtilisationOf::Gpus.definition().to_owned(),
            _ => UtilisationOf::Cpus.definition().to_owned(),
        }
    }
}
