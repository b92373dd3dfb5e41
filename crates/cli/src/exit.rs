//! What the command's exit code means.

/// How the command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done. A reader that closed its end of the pipe early counts as done.
    Ok = 0,
    /// The command line makes no sense (clap's own code).
    Usage = 2,
    /// A file can't be read or isn't what it should be.
    Input = 3,
    /// A result can't be written.
    Output = 4,
    /// Nothing could run: no job fits the fleet.
    NoProgress = 5,
    /// A rule of the simulation was broken: an error of this program.
    Violation = 6,
}

/// For `--help`.
pub(crate) const HELP: &str = "\
Exit codes:
  0  done
  2  the command line makes no sense
  3  a file can't be read or isn't what it should be
  4  a result can't be written
  5  nothing could run: no job fits the fleet
  6  a rule of the simulation was broken: please report it";
