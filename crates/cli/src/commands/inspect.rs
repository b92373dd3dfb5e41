//! `switchyard inspect`: what a file is and what is in it.

use std::io::{BufRead, Cursor, Read};

use switchyard_model::{FleetSpec, PodNode, PodSpec};
use switchyard_workload::openb::{self, TableReport};
use switchyard_workload::{
    FileKind, Profile, Report, SlurmConf, Workload, kind_of, read_fleet_yaml, read_from,
};

use crate::args_formats::InspectArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{self, inspect_json, inspect_page};
use crate::{conf, fleet, open};

/// A file is recognised by so much of its beginning.
const HEAD_BYTES: u64 = 1 << 18;

/// What is in the file.
pub(crate) enum Found {
    Jobs { workload: Box<Workload>, report: Box<Report>, profile: Box<Profile> },
    Pods(Vec<PodSpec>, TableReport),
    PodNodes(Vec<PodNode>, TableReport),
    Fleet { spec: FleetSpec, format: &'static str },
    SlurmConf(Box<SlurmConf>),
}

pub(crate) fn run(args: &InspectArgs) -> Result<Exit, Failure> {
    let name = open::name_of(&args.file);
    let found = find(args, &name)?;
    show::result(&if args.json {
        inspect_json::page(&name, &found)?
    } else {
        inspect_page::page(&name, &found)?
    })?;
    Ok(Exit::Ok)
}

fn find(args: &InspectArgs, name: &str) -> Result<Found, Failure> {
    let mut input = open::reader_of(&args.file)?;
    let failed = |source| Failure::Open { path: args.file.clone(), source };
    let mut head = Vec::new();
    (&mut input).take(HEAD_BYTES).read_to_end(&mut head).map_err(failed)?;
    let told = args.format.from.is_some() || args.format.columns.is_some() || args.format.delimiter.is_some();
    let kind = if told { None } else { Some(kind_of(name, &head)?) };
    let mut input = Cursor::new(head).chain(input);
    let mut all = || -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(match kind {
        None | Some(FileKind::Jobs(_)) => jobs(args, name, Box::new(input))?,
        Some(FileKind::Pods) => {
            let (pods, report) = openb::read_pods(name, &all()?)?;
            Found::Pods(pods, report)
        }
        Some(FileKind::PodNodes) => {
            let (nodes, report) = openb::read_nodes(name, &all()?)?;
            Found::PodNodes(nodes, report)
        }
        Some(FileKind::FleetYaml) => {
            Found::Fleet { spec: read_fleet_yaml(name, &text(all()?))?, format: "fleet in YAML" }
        }
        Some(FileKind::FleetJson) => {
            let refused = |source| Failure::Json { file: name.to_owned(), source };
            Found::Fleet { spec: serde_json::from_slice(&all()?).map_err(refused)?, format: "fleet in JSON" }
        }
        Some(FileKind::SlurmConf) => Found::SlurmConf(Box::new(conf::of_text(&args.file, &text(all()?))?)),
    })
}

fn jobs(args: &InspectArgs, name: &str, input: Box<dyn BufRead>) -> Result<Found, Failure> {
    let (workload, report) = read_from(name, input, &args.format.options())?;
    let profile = Profile::of(&workload, fleet::procs_of(&workload));
    Ok(Found::Jobs { workload: Box::new(workload), report: Box::new(report), profile: Box::new(profile) })
}
