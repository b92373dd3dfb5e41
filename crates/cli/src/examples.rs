//! What stands below the options of `--help`: examples that work as they are, and the exit codes.

use crate::exit;

const REPLAY: &str = "\
Examples:
  switchyard replay --generate seed-lab-v01:300:5 --policy seed-lab-v01
  switchyard replay --generate seed-lab:300:5 --policy seed-lab --limits padded:3 --metrics
  switchyard replay --generate yard:500:1 --policy easy --order shortest --placement topology --json
  switchyard replay --generate seed-lab:300:5 --policy slurm --param bf_window=2880 --param bf_interval=60
  switchyard replay my.swf --procs 100 --policy conservative --starts starts.csv
  switchyard replay my.swf --procs 100 --policy easy --gantt schedule.svg --curves queue.png
  switchyard replay jobs.txt --slurm-conf /etc/slurm/slurm.conf

";

const EXPLAIN: &str = "\
Examples:
  switchyard explain 4711 jobs.swf --at 86400 --policy easy
  switchyard explain 120 --generate seed-lab:300:5 --at 14000 --policy seed-lab-easy

";

const CONVERT: &str = "\
Examples:
  switchyard convert jobs.txt -o jobs.swf
  sacct -a -X -P -S 2026-01-01 --format=ALL | switchyard convert - --to csv > jobs.csv
  switchyard convert KTH-SP2-1996-2.1-cln.swf.gz -o kth.json --limits exact
  switchyard convert philly.csv --columns submit=timestamp,runtime=duration,gpus=num_gpus,account=cluster -o philly.csv

";

const GENERATE: &str = "\
Examples:
  switchyard generate seed-lab:300:5 -o lab.csv
  switchyard generate poisson:100000:1:95% --procs 512 --to swf | gzip > load.swf.gz

";

const INSPECT: &str = "\
Examples:
  switchyard inspect jobs.txt
  switchyard inspect KTH-SP2-1996-2.1-cln.swf.gz --json
  switchyard inspect /etc/slurm/slurm.conf

";

const COMPARE: &str = "\
Examples:
  switchyard compare --generate seed-lab:300:0 --seeds 0..9 --policies fcfs,easy,conservative
  switchyard compare --generate seed-lab:300:0 --seeds 0..9 --policies seed-lab,seed-lab+bf_window=2880 --html report.html
  switchyard compare jobs.txt --slurm-conf /etc/slurm/slurm.conf --policies slurm-conf,easy --slices 10
  switchyard compare my.swf --procs 100 --policies easy,easy+order=shortest --slices 20 --json

";

const SWEEP: &str = "\
Examples:
  switchyard sweep --generate seed-lab:300:0 --seeds 0..9 --policy seed-lab --vary bf_window=1440,2880 -o results.csv
  switchyard sweep --generate poisson:2000:0 --procs 256 --seeds 0..4 --vary policy=fcfs,easy --vary load=0.8..1.2:0.1 -o load.csv
  switchyard sweep jobs.txt --slurm-conf slurm.conf --vary bf_interval=30..120:30 --slices 5 -o interval.csv
  switchyard sweep --generate seed-lab:300:0 --seeds 0..99 --vary policy=easy,conservative --submit slurm > sweep.sh
  switchyard sweep --generate seed-lab:300:0 --seeds 0..99 --vary policy=easy,conservative --shard 2/8 -o part-2.csv

An interrupted sweep goes on where it stopped when the same command is given again.

";

const MERGE: &str = "\
Example:
  switchyard merge results.shard-*.csv -o results.csv

";

const COMPLETIONS: &str = "\
Examples:
  switchyard completions bash > ~/.local/share/bash-completion/completions/switchyard
  switchyard completions zsh > ~/.zfunc/_switchyard
  switchyard completions fish > ~/.config/fish/completions/switchyard.fish

";

const MAN: &str = "\
Example:
  switchyard man ~/.local/share/man/man1 && man switchyard-compare

";

pub(crate) fn completions() -> String {
    format!("{COMPLETIONS}{}", exit::HELP)
}

pub(crate) fn man() -> String {
    format!("{MAN}{}", exit::HELP)
}

pub(crate) fn compare() -> String {
    format!("{COMPARE}{}", exit::HELP)
}

pub(crate) fn sweep() -> String {
    format!("{SWEEP}{}", exit::HELP)
}

pub(crate) fn merge() -> String {
    format!("{MERGE}{}", exit::HELP)
}

pub(crate) fn inspect() -> String {
    format!("{INSPECT}{}", exit::HELP)
}

pub(crate) fn convert() -> String {
    format!("{CONVERT}{}", exit::HELP)
}

pub(crate) fn generate() -> String {
    format!("{GENERATE}{}", exit::HELP)
}

pub(crate) fn replay() -> String {
    format!("{REPLAY}{}", exit::HELP)
}

pub(crate) fn explain() -> String {
    format!("{EXPLAIN}{}", exit::HELP)
}
