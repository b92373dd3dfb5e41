//! Which column of a table means what.

use crate::ReadOptions;
use crate::error::{ReadError, shown};

/// What a column can mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Id,
    Submit,
    Runtime,
    Limit,
    LimitMinutes,
    Nodes,
    Tasks,
    Procs,
    Cpus,
    Gpus,
    MemoryMib,
    Gang,
    Priority,
    User,
    Account,
    Partition,
    Qos,
    QosFactor,
    Status,
    Wait,
}

/// Each meaning by its name, and the names of columns that have it.
const MEANINGS: [(&str, Meaning, &[&str]); 20] = [
    ("id", Meaning::Id, &["job_id", "jobid"]),
    ("submit", Meaning::Submit, &["submit_time", "submit_s", "timestamp"]),
    ("runtime", Meaning::Runtime, &["duration", "duration_s", "run_time", "runtime_s"]),
    ("limit", Meaning::Limit, &["limit_s", "time_limit", "walltime"]),
    ("limit_minutes", Meaning::LimitMinutes, &[]),
    ("nodes", Meaning::Nodes, &[]),
    ("tasks", Meaning::Tasks, &["n_tasks"]),
    ("procs", Meaning::Procs, &[]),
    ("cpus", Meaning::Cpus, &[]),
    ("gpus", Meaning::Gpus, &["num_gpus", "gpus_per_node"]),
    ("memory_mib", Meaning::MemoryMib, &["mem_mib"]),
    ("gang", Meaning::Gang, &["gang_size"]),
    ("priority", Meaning::Priority, &[]),
    ("user", Meaning::User, &[]),
    ("account", Meaning::Account, &[]),
    ("partition", Meaning::Partition, &[]),
    ("qos", Meaning::Qos, &[]),
    ("qos_factor", Meaning::QosFactor, &[]),
    ("status", Meaning::Status, &["state"]),
    ("wait", Meaning::Wait, &["wait_s"]),
];
/// The input of ubccr's Slurm simulator: `dt` is the submission and `wall_limit` stands in minutes.
const SIMULATOR: [(&str, Meaning); 8] = [
    ("dt", Meaning::Submit),
    ("job_id", Meaning::Id),
    ("wall_time", Meaning::Runtime),
    ("wall_limit", Meaning::LimitMinutes),
    ("n_tasks", Meaning::Tasks),
    ("user", Meaning::User),
    ("account", Meaning::Account),
    ("partition", Meaning::Partition),
];

/// One of these has to say how large a job is.
const SIZES: [Meaning; 6] =
    [Meaning::Nodes, Meaning::Tasks, Meaning::Procs, Meaning::Cpus, Meaning::Gpus, Meaning::Gang];

/// The columns of a table.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    names: Vec<String>,
    places: [Option<u32>; MEANINGS.len()],
    separator: u8,
    /// Whether the columns were told by their names.
    guessed: bool,
}

impl Columns {
    pub(super) fn of(
        file: &str,
        line: u64,
        header: &str,
        options: &ReadOptions,
    ) -> Result<Columns, ReadError> {
        let separator = match options.delimiter.as_deref() {
            None => separator(header),
            Some(text) => match text.as_bytes() {
                &[byte] => byte,
                _ => return Err(meaning(file, text, "a table is separated by one character".to_owned())),
            },
        };
        let mut fields = csv::StringRecord::new();
        Parser::new(separator).parse(header, &mut fields);
        let names: Vec<String> = fields.iter().map(str::to_owned).collect();
        let mut columns = Columns { names, places: [None; MEANINGS.len()], separator, guessed: true };
        match &options.columns {
            Some(named) => columns.name(file, named)?,
            None => columns.guess(),
        }
        let needed =
            [(&[Meaning::Submit][..], "submit"), (&[Meaning::Runtime], "runtime"), (&SIZES, "procs")];
        for (any, name) in needed {
            if !any.iter().any(|&meaning| columns.has(meaning)) {
                let (file, found) = (file.to_owned(), shown(header));
                return Err(ReadError::NoMeaning { file, line, meaning: name, found });
            }
        }
        Ok(columns)
    }

    fn name(&mut self, file: &str, named: &[String]) -> Result<(), ReadError> {
        self.guessed = false;
        for item in named {
            let (name, column) = item.split_once('=').unwrap_or((item, item));
            let (name, column) = (name.trim().to_ascii_lowercase(), column.trim());
            let Some(&(_, known, _)) = MEANINGS.iter().find(|(known, ..)| *known == name) else {
                let all = MEANINGS.map(|(name, ..)| name).join(", ");
                return Err(meaning(file, item, format!("a column can mean one of {all}")));
            };
            let Some(place) = self.names.iter().position(|name| name == column) else {
                return Err(meaning(
                    file,
                    item,
                    format!("the columns are {}", shown(&self.names.join(", "))),
                ));
            };
            self.set(known, place);
        }
        Ok(())
    }

    fn guess(&mut self) {
        let is = |name: &String, wanted: &str| name.eq_ignore_ascii_case(wanted);
        if is_simulators(&self.names) {
            for (wanted, known) in SIMULATOR {
                if let Some(place) = self.names.iter().position(|name| is(name, wanted)) {
                    self.set(known, place);
                }
            }
            return;
        }
        for (own, known, others) in MEANINGS {
            let wanted = std::iter::once(&own).chain(others);
            let place =
                wanted.filter_map(|wanted| self.names.iter().position(|name| is(name, wanted))).next();
            if let Some(place) = place {
                self.set(known, place);
            }
        }
    }

    fn set(&mut self, meaning: Meaning, place: usize) {
        if let Some(entry) = self.places.get_mut(meaning as usize) {
            *entry = u32::try_from(place).ok();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn has(&self, meaning: Meaning) -> bool {
        self.place(meaning).is_some()
    }

    /// Where the column with this meaning stands.
    pub(super) fn place(&self, meaning: Meaning) -> Option<usize> {
        self.places.get(meaning as usize).copied().flatten().map(|place| place as usize)
    }

    pub(super) fn column_name(&self, meaning: Meaning) -> &str {
        self.place(meaning).and_then(|place| self.names.get(place)).map_or("", String::as_str)
    }

    /// Columns that mean nothing, with their places.
    pub(super) fn unused(&self) -> impl Iterator<Item = (usize, &str)> {
        let used = |index: usize| self.places.iter().any(|place| *place == u32::try_from(index).ok());
        self.names.iter().map(String::as_str).enumerate().filter(move |&(index, _)| !used(index))
    }

    /// What the columns were taken for, where their names are not those of the meanings.
    pub(super) fn described(&self) -> Option<String> {
        let pairs = MEANINGS.iter().filter_map(|&(name, known, _)| {
            let column = self.column_name(known);
            (!column.is_empty() && column != name).then(|| format!("{name}={column}"))
        });
        let pairs: Vec<String> = pairs.collect();
        (self.guessed && !pairs.is_empty())
            .then(|| format!("Columns by their names: {}; --columns takes others.", pairs.join(",")))
    }

    /// What takes rows apart.
    pub(super) fn parser(&self) -> Parser {
        Parser::new(self.separator)
    }
}

/// Takes a row apart; fields in double quotes may hold separators.
pub(super) struct Parser {
    separator: char,
}

impl Parser {
    fn new(separator: u8) -> Parser {
        Parser { separator: char::from(separator) }
    }

    pub(super) fn parse(&mut self, row: &str, fields: &mut csv::StringRecord) {
        fields.clear();
        if !row.contains('"') {
            row.split(self.separator).for_each(|field| fields.push_field(field.trim()));
            return;
        }
        let mut field = String::new();
        let mut quoted = false;
        let mut letters = row.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '"' if quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
                '"' if quoted || field.trim().is_empty() => quoted = !quoted,
                _ if letter == self.separator && !quoted => {
                    fields.push_field(field.trim());
                    field.clear();
                }
                _ => field.push(letter),
            }
        }
        fields.push_field(field.trim());
    }
}

fn meaning(file: &str, found: &str, problem: String) -> ReadError {
    ReadError::ColumnMeaning { file: file.to_owned(), found: shown(found), problem }
}

/// What separates the most names.
fn separator(header: &str) -> u8 {
    let count = |separator: &u8| header.bytes().filter(|byte| byte == separator).count();
    [b'|', b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}

fn is_simulators(names: &[String]) -> bool {
    ["dt", "wall_time", "wall_limit", "n_tasks"].iter().all(|wanted| names.iter().any(|name| name == wanted))
}

/// Whether `line` is a header whose columns tell jobs.
pub(crate) fn recognises(line: &str) -> bool {
    Columns::of("", 1, line, &ReadOptions::default()).is_ok()
}
