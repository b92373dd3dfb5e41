//! Which column of a dump means what: from its header, from the user, or from an order that is known.

use crate::error::ReadError;

use super::values;

/// The order of the dumps that XDMoD's `slurm-helper` writes, without a header.
const XDMOD: [&str; 26] = [
    "JobID",
    "JobIDRaw",
    "Cluster",
    "Partition",
    "QOS",
    "Account",
    "Group",
    "GID",
    "User",
    "UID",
    "Submit",
    "Eligible",
    "Start",
    "End",
    "Elapsed",
    "ExitCode",
    "State",
    "NNodes",
    "NCPUS",
    "ReqCPUS",
    "ReqMem",
    "ReqTRES",
    "AllocTRES",
    "Timelimit",
    "NodeList",
    "JobName",
];

/// A column that means something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    JobId,
    JobIdRaw,
    Cluster,
    User,
    Account,
    Submit,
    Start,
    Elapsed,
    ElapsedRaw,
    Timelimit,
    TimelimitRaw,
    State,
    NNodes,
    AllocNodes,
    NCpus,
    AllocCpus,
    ReqCpus,
    ReqMem,
    ReqTres,
    AllocTres,
    AllocGres,
    NodeList,
    Partition,
    Qos,
}

const USED: [(&str, Column); 24] = [
    ("jobid", Column::JobId),
    ("jobidraw", Column::JobIdRaw),
    ("cluster", Column::Cluster),
    ("user", Column::User),
    ("account", Column::Account),
    ("submit", Column::Submit),
    ("start", Column::Start),
    ("elapsed", Column::Elapsed),
    ("elapsedraw", Column::ElapsedRaw),
    ("timelimit", Column::Timelimit),
    ("timelimitraw", Column::TimelimitRaw),
    ("state", Column::State),
    ("nnodes", Column::NNodes),
    ("allocnodes", Column::AllocNodes),
    ("ncpus", Column::NCpus),
    ("alloccpus", Column::AllocCpus),
    ("reqcpus", Column::ReqCpus),
    ("reqmem", Column::ReqMem),
    ("reqtres", Column::ReqTres),
    ("alloctres", Column::AllocTres),
    ("allocgres", Column::AllocGres),
    ("nodelist", Column::NodeList),
    ("partition", Column::Partition),
    ("qos", Column::Qos),
];

/// What can stand in a column, as far as it helps to find the columns again behind a text with separators in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Written by people; anything.
    Free,
    /// A stamp, `Unknown` or `None`.
    Stamp,
    /// A duration, possibly with fractions.
    Duration,
    /// Digits.
    Number,
    /// Anything that has no separators.
    Other,
}

impl Kind {
    fn allows(self, field: &str) -> bool {
        match self {
            Kind::Free | Kind::Other => true,
            Kind::Stamp => values::is_no_time(field) || values::stamp(field).is_some(),
            Kind::Duration => values::duration(field, true).is_some() || field == "INVALID",
            Kind::Number => field.bytes().all(|byte| byte.is_ascii_digit()),
        }
    }
}

fn kind_of(name: &str) -> Kind {
    match name {
        "jobname" | "comment" | "admincomment" | "systemcomment" | "submitline" | "constraints" => Kind::Free,
        "submit" | "eligible" | "start" | "end" => Kind::Stamp,
        "elapsed" | "cputime" | "totalcpu" | "usercpu" | "systemcpu" | "suspended" | "reserved"
        | "planned" => Kind::Duration,
        "elapsedraw" | "cputimeraw" | "uid" | "gid" | "ncpus" | "nnodes" | "alloccpus" | "allocnodes"
        | "reqcpus" | "associd" | "dbindex" | "qosraw" => Kind::Number,
        _ => Kind::Other,
    }
}

/// The columns of a dump.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    names: Vec<String>,
    kinds: Vec<Kind>,
    used: Vec<(Column, usize)>,
    /// Where the columns of [`USED`] stand, by their order in [`Column`].
    places: [Option<u32>; USED.len()],
    /// What stands between two columns.
    separator: String,
    /// Whether each row ends with a separator, as `sacct --parsable` writes it.
    closed: bool,
    /// Whether jobs that still run count.
    keep_running: bool,
}

impl Columns {
    /// The columns of a dump that begins with the line `first`, and whether that is a header.
    pub(super) fn of(
        file: &str,
        first: &str,
        named: Option<&[String]>,
        separator: &str,
        keep_running: bool,
    ) -> Result<(Columns, bool), ReadError> {
        let fields: Vec<&str> = first.trim_end_matches('\r').split(separator).collect();
        let has_header = fields.len() > 1 && fields.iter().any(|name| names_a_job(name));
        let columns = match named {
            Some(named) => Columns::named(named.iter().map(String::as_str)),
            None if has_header => Columns::named(fields.iter().copied()),
            None if looks_like_xdmod(&fields) => Columns::named(XDMOD.into_iter()),
            None => return Err(ReadError::NoHeader { file: file.to_owned(), found: fields.len() as u64 }),
        };
        columns.check(file)?;
        let closed = first.trim_end().ends_with(separator) && fields.len() == columns.len() + 1;
        Ok((Columns { closed, keep_running, separator: separator.to_owned(), ..columns }, has_header))
    }

    /// The fields of a row, as far as separators tell.
    pub(super) fn split<'r>(&self, row: &'r str) -> Vec<&'r str> {
        let row = row.trim_end_matches('\r');
        let mut fields = Vec::with_capacity(self.len() + 1);
        if let &[separator] = self.separator.as_bytes() {
            // Fields are short: a plain loop beats a search that has to be set up for each.
            let mut from = 0;
            for (at, byte) in row.bytes().enumerate() {
                if byte == separator {
                    fields.push(row.get(from..at).unwrap_or_default());
                    from = at + 1;
                }
            }
            fields.push(row.get(from..).unwrap_or_default());
        } else {
            fields.extend(row.split(self.separator.as_str()));
        }
        fields
    }

    /// How many fields [`split`](Self::split) would make.
    pub(super) fn count(&self, row: &str) -> usize {
        match self.separator.as_bytes() {
            &[separator] => 1 + row.bytes().filter(|&byte| byte == separator).count(),
            _ => row.split(self.separator.as_str()).count(),
        }
    }

    /// How long a separator is.
    pub(super) fn separator_len(&self) -> usize {
        self.separator.len()
    }

    fn named<'a>(names: impl Iterator<Item = &'a str>) -> Columns {
        // In a format list a width may stand behind a name: `JobName%40`.
        let bare = |name: &str| name.split('%').next().unwrap_or("").trim().to_owned();
        let mut names: Vec<String> = names.map(bare).collect();
        if names.len() > 1 && names.last().is_some_and(String::is_empty) {
            names.pop();
        }
        let lower: Vec<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
        let used = USED
            .iter()
            .filter_map(|&(name, column)| Some((column, lower.iter().position(|known| known == name)?)))
            .collect();
        let used: Vec<(Column, usize)> = used;
        let mut places = [None; USED.len()];
        for &(column, index) in &used {
            if let Some(place) = places.get_mut(column as usize) {
                *place = u32::try_from(index).ok();
            }
        }
        let kinds = lower.iter().map(|name| kind_of(name)).collect();
        Columns { kinds, names, used, places, separator: String::new(), closed: false, keep_running: false }
    }

    fn check(&self, file: &str) -> Result<(), ReadError> {
        let needed: [(&[Column], &str); 5] = [
            (&[Column::JobId, Column::JobIdRaw], "JobID or JobIDRaw"),
            (&[Column::Submit], "Submit"),
            (&[Column::Elapsed, Column::ElapsedRaw], "Elapsed or ElapsedRaw"),
            (&[Column::State], "State"),
            (
                &[Column::NCpus, Column::AllocCpus, Column::ReqCpus, Column::AllocTres, Column::ReqTres],
                "NCPUS, AllocCPUS, ReqCPUS, AllocTRES or ReqTRES",
            ),
        ];
        match needed.iter().find(|(any, _)| any.iter().all(|&column| self.index(column).is_none())) {
            Some((_, missing)) => Err(ReadError::MissingColumn { file: file.to_owned(), missing }),
            None => Ok(()),
        }
    }

    /// Whether each row ends with a separator.
    pub(super) fn closed(&self) -> bool {
        self.closed
    }

    /// Whether jobs that still run count, with their runtime so far.
    pub(super) fn keeps_running(&self) -> bool {
        self.keep_running
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn name(&self, index: usize) -> &str {
        self.names.get(index).map_or("", String::as_str)
    }

    /// Where `column` stands in a row, if the dump has it.
    pub(super) fn index(&self, column: Column) -> Option<usize> {
        self.places.get(column as usize).copied().flatten().map(|index| index as usize)
    }

    /// Where the job's id stands in a row.
    pub(super) fn id_index(&self) -> usize {
        self.index(Column::JobId).or_else(|| self.index(Column::JobIdRaw)).unwrap_or(0)
    }

    /// Columns that mean nothing here, with their place.
    pub(super) fn unused(&self) -> impl Iterator<Item = (usize, &str)> {
        let used = |index| self.used.iter().any(|&(_, known)| known == index);
        self.names.iter().map(String::as_str).enumerate().filter(move |&(index, _)| !used(index))
    }

    /// Columns in which people write what they like.
    pub(super) fn free_texts(&self) -> impl Iterator<Item = usize> {
        (0..self.kinds.len()).filter(|&index| self.kinds.get(index) == Some(&Kind::Free))
    }

    /// Whether the last column is one of them.
    pub(super) fn ends_in_free_text(&self) -> bool {
        self.kinds.last() == Some(&Kind::Free)
    }

    /// Whether each field is of the kind of its column, and the two columns that say the same agree.
    pub(super) fn plausible(&self, fields: &[&str]) -> bool {
        let field = |column| Some(*fields.get(self.index(column)?)?);
        let (one, other) = (field(Column::AllocCpus), field(Column::NCpus));
        (one.is_none() || other.is_none() || one == other)
            && fields.iter().zip(&self.kinds).all(|(field, kind)| field.is_empty() || kind.allows(field))
    }
}

/// Whether `line` names columns of sacct.
pub(crate) fn is_header(line: &str, separator: char) -> bool {
    line.contains(separator) && line.split(separator).any(names_a_job)
}

/// Whether this is the name of a column that has the number of a job. Behind it a width may stand, as in a format list.
fn names_a_job(name: &str) -> bool {
    let name = name.split('%').next().unwrap_or("").trim();
    name.eq_ignore_ascii_case("jobid") || name.eq_ignore_ascii_case("jobidraw")
}

fn looks_like_xdmod(fields: &[&str]) -> bool {
    let field = |name| {
        let index = XDMOD.iter().position(|&known| known == name)?;
        fields.get(index).copied()
    };
    fields.len() >= XDMOD.len()
        && field("JobID").is_some_and(values::is_job_id)
        && field("Submit").is_some_and(|text| values::stamp(text).is_some())
        && field("Elapsed").is_some_and(|text| values::duration(text, false).is_some())
}
