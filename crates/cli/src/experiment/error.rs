//! What is wrong with an experiment that the command line describes.

use thiserror::Error;

#[derive(Debug, Error)]
pub(crate) enum ExperimentError {
    #[error("a trace of {jobs} jobs can't be cut into {slices} slices; choose --slices up to {jobs}")]
    Slices { slices: u32, jobs: usize },
    #[error("slurm-conf stands for the settings of a slurm.conf; name the file with --slurm-conf")]
    NoSlurmConf,
    #[error(
        "in the policy \"{text}\", \"{part}\" is no change; write NAME+KEY=VALUE, for example easy+order=shortest"
    )]
    PolicyText { text: String, part: String },
    #[error("there is no right to preempt \"{found}\"; choose one of qos, partition, none")]
    PreemptText { found: String },
    #[error("the policy {name} is given twice; leave it out once")]
    Twice { name: String },
    #[error("a comparison needs two policies or more; {name} is the only one")]
    OnlyOne { name: String },
    #[error("no policy is given; add --policy NAME, --vary policy=NAME,... or --slurm-conf FILE")]
    NoPolicy,
    #[error("{key} is both varied and set by {option}; leave one of them out")]
    VariedAndSet { key: String, option: String },
    #[error("{key} is varied twice; put all its values into one --vary")]
    VariedTwice { key: String },
    #[error("a sweep of {runs} runs is too long; take fewer values or seeds, up to {most} runs")]
    TooManyRuns { runs: usize, most: usize },
    #[error("standard input can't be read again on another machine; write the trace to a file first")]
    StandardInput,
    #[error("the pods need the file {file}; put it on a PersistentVolumeClaim and name that with --claim")]
    NoClaim { file: String },
    #[error(
        "the pods find {file} on the claim only; name it by its path from the claim's root, which is their working directory"
    )]
    NotOnClaim { file: String },
    #[error("{option} is about containers; use it with --submit k8s")]
    NotInSlurm { option: &'static str },
}
