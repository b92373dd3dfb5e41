//! `cargo xtask serve`: the site on this machine's own address, rebuilt when a file changes.

use std::net::TcpListener;

use crate::build;
use crate::problem::{Outcome, Problem};
use crate::run::become_program;

/// Builds, then serves until it is interrupted.
pub(crate) fn serve(port: u16, release: bool) -> Outcome {
    check_free(port)?;
    build::prepare(release)?;
    println!(
        "\n== Building the site, then serving it on http://127.0.0.1:{port}/ \
         (the first time up to 25 minutes, then about one; Ctrl-C ends it)"
    );
    let mut trunk = build::trunk("serve", release)?;
    trunk.args(["--port", &port.to_string()]);
    become_program(&mut trunk)
}

/// Says so before the long build, not after it.
fn check_free(port: u16) -> Outcome {
    match TcpListener::bind(("127.0.0.1", port)) {
        Ok(_) => Ok(()),
        Err(error) => Err(Problem::new(format!(
            "Port {port} can't be used ({error}); choose another with `cargo xtask serve --port N`."
        ))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_busy_port_is_told_with_the_way_out() {
        let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let said = check_free(port).unwrap_err().to_string();
        assert!(said.contains(&port.to_string()) && said.contains("--port"), "{said}");
        drop(taken);
        check_free(port).unwrap();
    }
}
