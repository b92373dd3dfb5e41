//! Walks through the lines of a file and those that it includes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::error::SlurmConfError;
use super::keys::{self, Concern};
use super::lines::lines;
use super::nodes::{NodeReader, NodeSetLine, expand, remember};
use super::notes::Notes;
use super::pairs::pairs;
use super::partitions::PartitionReader;
use super::{Setting, SlurmConf, Spot};
use crate::error::shown;

/// Files that include files that include files.
const DEPTH_MAX: usize = 16;

type Include<'a> = dyn FnMut(&str) -> Result<String, String> + 'a;

pub(super) fn read(name: &str, text: &str, include: &mut Include<'_>) -> Result<SlurmConf, SlurmConfError> {
    let mut reader = Reader { conf: empty(name), ..Reader::default() };
    reader.file(&name.into(), text, include, 0)?;
    Ok(reader.conf)
}

fn empty(name: &str) -> SlurmConf {
    SlurmConf {
        name: name.into(),
        settings: Vec::new(),
        cluster: None,
        nodes: Vec::new(),
        node_sets: Vec::new(),
        partitions: Vec::new(),
        licences: BTreeMap::new(),
        whole_nodes: false,
        counts_memory: true,
        notes: Notes::default(),
    }
}

/// The pairs of a `DEFAULT` line.
type Defaults = Vec<(String, String)>;

struct Reader {
    conf: SlurmConf,
    names: BTreeSet<Arc<str>>,
    of_nodes: Defaults,
    of_partitions: Defaults,
}

impl Default for Reader {
    fn default() -> Self {
        Reader {
            conf: empty(""),
            names: BTreeSet::new(),
            of_nodes: Defaults::new(),
            of_partitions: Defaults::new(),
        }
    }
}

impl Reader {
    fn file(
        &mut self,
        name: &Arc<str>,
        text: &str,
        include: &mut Include<'_>,
        depth: usize,
    ) -> Result<(), SlurmConfError> {
        for line in lines(text) {
            let at = Spot { file: Arc::clone(name), line: line.number };
            let said = line.text.trim();
            match included(said) {
                Some(file) => self.include(&at, file, include, depth)?,
                None => self.line(&at, said)?,
            }
        }
        Ok(())
    }

    fn include(
        &mut self,
        at: &Spot,
        file: &str,
        include: &mut Include<'_>,
        depth: usize,
    ) -> Result<(), SlurmConfError> {
        let (at_of, file) = (|| at.clone(), file.to_owned());
        if depth == DEPTH_MAX {
            return Err(SlurmConfError::TooDeep { at: at_of(), file, depth });
        }
        let text = match include(&file) {
            Ok(text) => text,
            Err(problem) => return Err(SlurmConfError::Include { at: at_of(), file, problem }),
        };
        self.file(&file.into(), &text, include, depth + 1)
    }

    fn line(&mut self, at: &Spot, said: &str) -> Result<(), SlurmConfError> {
        let no_pair = |found: &str| SlurmConfError::NoPair { at: at.clone(), found: shown(found) };
        let pairs = pairs(said).map_err(no_pair)?;
        let Some(((first, value), rest)) = pairs.split_first() else { return Ok(()) };
        let rest: Defaults = rest.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        match first.to_ascii_lowercase().as_str() {
            "nodename" => self.nodes(at, value, rest),
            "partitionname" => self.partition(at, value, rest),
            "nodeset" => self.node_set(at, value, &rest),
            "downnodes" => {
                self.conf.notes.not_modelled(at, "DownNodes");
                Ok(())
            }
            // Lines of which only the first key counts here, and the rest belongs to it.
            "slurmctldhost" | "poweraction" => {
                self.conf.notes.elsewhere(at, first);
                Ok(())
            }
            _ => pairs.iter().try_for_each(|(key, value)| self.setting(at, key, value)),
        }
    }

    fn nodes(&mut self, at: &Spot, list: &str, pairs: Defaults) -> Result<(), SlurmConfError> {
        if list.eq_ignore_ascii_case("DEFAULT") {
            self.of_nodes.extend(pairs);
            return Ok(());
        }
        let pairs: Defaults = self.of_nodes.iter().cloned().chain(pairs).collect();
        let mut reader = NodeReader { at, notes: &mut self.conf.notes };
        let Some(line) = reader.read(list, &pairs)? else { return Ok(()) };
        remember(&mut self.names, &line, at)?;
        self.conf.nodes.push(line);
        Ok(())
    }

    fn partition(&mut self, at: &Spot, name: &str, pairs: Defaults) -> Result<(), SlurmConfError> {
        if name.eq_ignore_ascii_case("DEFAULT") {
            self.of_partitions.extend(pairs);
            return Ok(());
        }
        if self.conf.partitions.iter().any(|known| &*known.partition.name == name) {
            return Err(SlurmConfError::PartitionTwice { at: at.clone(), partition: name.to_owned() });
        }
        let pairs: Defaults = self.of_partitions.iter().cloned().chain(pairs).collect();
        let line = PartitionReader { at, notes: &mut self.conf.notes }.read(name, &pairs)?;
        self.conf.partitions.push(line);
        Ok(())
    }

    fn node_set(&mut self, at: &Spot, name: &str, pairs: &Defaults) -> Result<(), SlurmConfError> {
        let mut set = NodeSetLine { name: name.into(), nodes: Vec::new(), feature: None };
        for (key, value) in pairs {
            match key.to_ascii_lowercase().as_str() {
                "nodes" => set.nodes = expand(at, "Nodes", value)?,
                "feature" => set.feature = Some(value.as_str().into()),
                _ => self.conf.notes.unknown(at, &format!("{key} of NodeSet")),
            }
        }
        self.conf.node_sets.push(set);
        Ok(())
    }

    fn setting(&mut self, at: &Spot, key: &str, value: &str) -> Result<(), SlurmConfError> {
        if let Some(key) = keys::of_scheduler(key) {
            let setting = Setting { key, value: value.to_owned(), at: at.clone() };
            match self.conf.settings.iter_mut().find(|known| known.key == key) {
                None => self.conf.settings.push(setting),
                Some(known) => {
                    let said = format!("{key} stands in {} as well; this one counts.", known.at);
                    self.conf.notes.add(at, said);
                    *known = setting;
                }
            }
            return Ok(());
        }
        match key.to_ascii_lowercase().as_str() {
            "clustername" => self.conf.cluster = Some(value.into()),
            "licenses" => self.licences(at, value)?,
            "selecttype" => self.select_type(at, value),
            "selecttypeparameters" => self.select_parameters(at, value),
            _ => match keys::concern(key) {
                Concern::Used => {}
                Concern::NotModelled => self.conf.notes.not_modelled(at, key),
                Concern::Elsewhere => self.conf.notes.elsewhere(at, key),
                Concern::Unknown => self.conf.notes.unknown(at, key),
            },
        }
        Ok(())
    }

    fn licences(&mut self, at: &Spot, value: &str) -> Result<(), SlurmConfError> {
        for item in value.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (name, count) = item.split_once([':', '*']).unwrap_or((item, "1"));
            let count = count.parse().map_err(|_| SlurmConfError::Value {
                at: at.clone(),
                key: "Licenses".to_owned(),
                expected: "a list of name:count",
                found: item.to_owned(),
            })?;
            self.conf.licences.insert(name.into(), count);
        }
        Ok(())
    }

    fn select_type(&mut self, at: &Spot, value: &str) {
        match value.to_ascii_lowercase().as_str() {
            "select/linear" => self.conf.whole_nodes = true,
            "select/cons_tres" | "select/cons_res" => {}
            _ => self.conf.notes.not_modelled(at, &format!("SelectType={value}")),
        }
    }

    fn select_parameters(&mut self, at: &Spot, value: &str) {
        let lower = value.to_ascii_lowercase();
        self.conf.counts_memory = lower.contains("memory");
        if !self.conf.counts_memory {
            let said = format!(
                "SelectTypeParameters={value} doesn't count memory: jobs get as much as they ask for."
            );
            self.conf.notes.add(at, said);
        }
        let whole = |word: &str| {
            let word = word.trim();
            !["cr_cpu", "cr_cpu_memory", "cr_core", "cr_core_memory", "cr_memory"].contains(&word)
        };
        for word in lower.split(',').filter(|word| whole(word)) {
            self.conf.notes.not_modelled(at, &format!("SelectTypeParameters={}", word.trim()));
        }
    }
}

/// The file that an `Include` line names.
fn included(said: &str) -> Option<&str> {
    let (word, file) = said.split_once(char::is_whitespace)?;
    (word.eq_ignore_ascii_case("include") && !file.trim_start().starts_with('=')).then(|| file.trim())
}
