//! Batsim's profiles: which of them tell a runtime without a platform to simulate, and what it is.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use switchyard_model::SimDuration;

use super::{SECONDS, count, seconds, wrong};
use crate::error::ReadError;

/// Sequences may be made of sequences; a chain longer than this is taken for a mistake.
const DEPTH_MAX: u32 = 100;

pub(super) struct Profiles<'a> {
    file: &'a str,
    table: &'a Map<String, Value>,
    /// What was found out already; `None` for those that tell no runtime. A sequence stands here while its parts are
    /// asked, so that one which contains itself ends.
    told: BTreeMap<&'a str, Option<SimDuration>>,
}

impl<'a> Profiles<'a> {
    pub(super) const fn new(file: &'a str, table: &'a Map<String, Value>) -> Profiles<'a> {
        Profiles { file, table, told: BTreeMap::new() }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.table.contains_key(name)
    }

    /// What a profile calls its type.
    pub(super) fn kind(&self, name: &str) -> Option<&'a str> {
        self.table.get(name)?.get("type")?.as_str()
    }

    /// How long a job of this profile runs, if the profile tells.
    pub(super) fn runtime(&mut self, name: &str) -> Result<Option<SimDuration>, ReadError> {
        self.runtime_at(name, 0)
    }

    fn runtime_at(&mut self, name: &str, depth: u32) -> Result<Option<SimDuration>, ReadError> {
        let Some((name, profile)) = self.table.get_key_value(name) else { return Ok(None) };
        if let Some(&told) = self.told.get(name.as_str()) {
            return Ok(told);
        }
        if depth > DEPTH_MAX {
            return Ok(None);
        }
        self.told.insert(name, None);
        let told = match profile.get("type").and_then(Value::as_str) {
            Some("delay" | "DelayProfile") => Some(self.delay(name, profile)?),
            Some("composed" | "SequentialCompositionProfile") => self.sequence(name, profile, depth)?,
            Some(_) => None,
            None => return Err(self.refuse(name, "type", "the name of a type", profile)),
        };
        self.told.insert(name, told);
        Ok(told)
    }

    fn delay(&self, name: &str, profile: &Value) -> Result<SimDuration, ReadError> {
        let delay = profile.get("delay").and_then(seconds);
        delay.ok_or_else(|| self.refuse(name, "delay", SECONDS, profile))
    }

    /// All parts one after the other, so many times over.
    fn sequence(
        &mut self,
        name: &str,
        profile: &Value,
        depth: u32,
    ) -> Result<Option<SimDuration>, ReadError> {
        let repeat = profile.get("repeat").map_or(Some(1), count);
        let repeat = repeat.ok_or_else(|| self.refuse(name, "repeat", "a whole number", profile))?;
        let parts = profile.get("seq").and_then(Value::as_array);
        let parts = parts.ok_or_else(|| self.refuse(name, "seq", "a list of profiles", profile))?;
        let mut once = SimDuration::ZERO;
        for part in parts {
            let known = part.as_str().filter(|part| self.has(part));
            let part = known.ok_or_else(|| self.refuse(name, "seq", "names of profiles", profile))?;
            match self.runtime_at(part, depth + 1)? {
                Some(runtime) => once += runtime,
                None => return Ok(None),
            }
        }
        Ok(Some(once.saturating_mul(u64::from(repeat))))
    }

    fn refuse(&self, name: &str, member: &str, expected: &'static str, profile: &Value) -> ReadError {
        wrong(self.file, &format!("profiles.{name}.{member}"), expected, profile.get(member))
    }
}
