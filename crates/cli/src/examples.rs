//! What stands below the options of `--help`: examples that work as they are, and the exit codes.

use crate::exit;

const REPLAY: &str = "\
Examples:
  switchyard replay --generate seed-lab-v01:300:5 --policy seed-lab-v01
  switchyard replay --generate seed-lab:300:5 --policy seed-lab --limits padded:3 --metrics
  switchyard replay --generate yard:500:1 --policy easy --order shortest --placement topology --json
  switchyard replay --generate seed-lab:300:5 --policy slurm --param bf_window=2880 --param bf_interval=60
  switchyard replay my.swf --procs 100 --policy conservative --starts starts.csv
  switchyard replay jobs.txt --slurm-conf /etc/slurm/slurm.conf

";

const EXPLAIN: &str = "\
Example:
  switchyard explain 120 --at 14000 --generate seed-lab:300:5 --policy seed-lab-easy

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
