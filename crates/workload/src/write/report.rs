//! What a written file has no place for, counted, so that nothing is dropped silently.

use std::collections::BTreeMap;
use std::fmt;

use switchyard_model::{JobId, JobSpec, PerMille, Shape, Terms};

/// Something that a job has and a format can't say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lost {
    /// GPUs.
    Gpus,
    /// How the processors are spread over nodes.
    Nodes,
    /// The factor of its quality of service.
    QosFactor,
    /// Dependencies, arrays, licences, features and what else it asks for.
    OtherTerms,
}

impl Lost {
    /// The loss as the end of a sentence that begins "3 jobs:".
    pub const fn sentence(self) -> &'static str {
        match self {
            Lost::Gpus => "their GPUs are not written, the format has no place for them",
            Lost::Nodes => {
                "how their processors are spread over nodes is not written, the format has no place for it"
            }
            Lost::QosFactor => {
                "the factor of their quality of service is not written, the format has no place for it"
            }
            Lost::OtherTerms => {
                "other terms (dependencies, arrays, licences, features and the like) are not written, the format has no place for them"
            }
        }
    }

    fn is_lost(self, spec: &JobSpec) -> bool {
        match self {
            Lost::Gpus => spec.shape.total().gpus > 0,
            Lost::Nodes => matches!(spec.shape, Shape::Nodes { .. }),
            Lost::QosFactor => spec.qos != PerMille(0),
            Lost::OtherTerms => has_other_terms(&spec.terms),
        }
    }
}

fn has_other_terms(terms: &Terms) -> bool {
    // Names cost a reference each, and most jobs have nothing else.
    let named = Terms { partition: terms.partition.clone(), qos: terms.qos.clone(), ..Terms::default() };
    *terms != named
}

/// What became of the jobs when they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteReport {
    /// How many were written.
    pub jobs: u64,
    /// What could not be written, of how many jobs, and the first of them.
    pub lost: BTreeMap<Lost, (u64, JobId)>,
}

impl WriteReport {
    pub(crate) fn count(&mut self, spec: &JobSpec, lost: &[Lost]) {
        self.jobs += 1;
        for &lost in lost.iter().filter(|lost| lost.is_lost(spec)) {
            self.lost.entry(lost).or_insert((0, spec.id)).0 += 1;
        }
    }
}

impl fmt::Display for WriteReport {
    /// One sentence in each line; the last one without a line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Wrote {}.", jobs(self.jobs))?;
        for (lost, (count, first)) in &self.lost {
            let word = if *count == 1 { "" } else { "first: " };
            write!(f, "\n{}: {} ({word}job {first}).", jobs(*count), lost.sentence())?;
        }
        Ok(())
    }
}

fn jobs(n: u64) -> String {
    if n == 1 { "1 job".into() } else { format!("{n} jobs") }
}

/// A name that stays in its line.
pub(crate) fn clean(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
