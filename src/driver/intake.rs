//! Files that the visitor drops or picks: bytes come in from the page between two frames, and are read in the next.

use std::cell::RefCell;

use bevy::prelude::*;
use switchyard_view::import::Import;
use switchyard_workload::{ReadOptions, read};

use super::{Notice, Simulation};

thread_local! {
    static OFFERED: RefCell<Option<(String, Vec<u8>)>> = const { RefCell::new(None) };
}

/// Takes a file from the page. The last one counts.
pub(crate) fn offer_file(name: String, bytes: Vec<u8>) {
    OFFERED.with_borrow_mut(|offered| *offered = Some((name, bytes)));
}

pub(super) fn take_files(mut simulation: ResMut<Simulation>, mut notices: MessageWriter<Notice>) {
    let Some((file, bytes)) = OFFERED.with_borrow_mut(Option::take) else { return };
    let outcome = read(&file, &bytes, &ReadOptions::default());
    match &outcome {
        Ok((workload, _)) => {
            notices.write(Notice(format!("{file}: {} jobs were read.", workload.jobs.len())));
        }
        Err(error) => drop(notices.write(Notice(error.to_string()))),
    }
    simulation.import = Some(Import::new(file, outcome));
}
