//! The schedule as a table: `job_id,submit,start,end,nodes`.
//!
//! Times are in the trace's own seconds, with decimals only where there are some; nodes are numbers from 0, as `0-3 7`.
//! Rows stand in the order of submission.

use std::io;
use std::path::Path;

use switchyard_model::SimTime;
use switchyard_scheduler::Run;
use switchyard_workload::Workload;

use crate::failure::Failure;

pub(crate) fn write(path: &Path, workload: &Workload, run: &Run) -> Result<(), Failure> {
    let failed = |source: io::Error| Failure::Write { path: path.to_owned(), source };
    let file = std::fs::File::create(path).map_err(failed)?;
    write_to(io::BufWriter::new(file), workload.origin, run).map_err(failed)
}

fn write_to(out: impl io::Write, origin: SimTime, run: &Run) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(["job_id", "submit", "start", "end", "nodes"])?;
    let mut spans: Vec<_> = run.spans.iter().collect();
    spans.sort_by_key(|span| (span.submit, span.job));
    for span in spans {
        let own = |at: SimTime| super::seconds(at + origin.since(SimTime::ZERO));
        table.write_record([
            span.job.to_string(),
            own(span.submit),
            own(span.start),
            own(span.end),
            span.placement.to_string(),
        ])?;
    }
    table.flush()
}
