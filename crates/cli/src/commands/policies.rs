//! `switchyard policies`: what there is to choose from.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{self, policies};

pub(crate) fn run() -> Result<Exit, Failure> {
    show::result(&policies::page())?;
    Ok(Exit::Ok)
}
