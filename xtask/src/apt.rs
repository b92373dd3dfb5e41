//! Debian's package manager, used where nobody need be asked.

use crate::problem::Outcome;
use crate::run::{answer, command, run};

/// Whether packages may be installed without asking: there is apt, and we are root.
pub(crate) fn may_be_used() -> bool {
    answer("apt-get", &["--version"]).is_some() && answer("id", &["-u"]).as_deref() == Some("0")
}

/// Installs packages of the system.
pub(crate) fn install(packages: &[&str]) -> Outcome {
    run(command("apt-get")?.args(["-qq", "update"]))?;
    run(command("apt-get")?
        .env("DEBIAN_FRONTEND", "noninteractive")
        .args(["-qq", "install", "--yes", "--no-install-recommends"])
        .args(packages))
}
