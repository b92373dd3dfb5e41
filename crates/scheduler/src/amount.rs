//! Amounts of resources in words.

use switchyard_model::Resources;

/// A kind of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Gpus,
    Cpus,
    Memory,
}

impl Kind {
    /// Scarcest first: what people count a cluster in.
    pub(crate) const ALL: [Kind; 3] = [Kind::Gpus, Kind::Cpus, Kind::Memory];

    /// The first kind of which `free` has less than `need`; if there is none, the first that is needed at all.
    pub(crate) fn short(need: &Resources, free: &Resources) -> Kind {
        let is_short = |kind: &Kind| kind.of(free) < kind.of(need);
        let is_needed = |kind: &Kind| kind.of(need) > 0;
        let find = |is: &dyn Fn(&Kind) -> bool| Kind::ALL.into_iter().find(is);
        find(&is_short).or_else(|| find(&is_needed)).unwrap_or(Kind::Cpus)
    }

    /// How much of this kind; memory in MiB.
    pub(crate) fn of(self, amount: &Resources) -> u64 {
        match self {
            Kind::Gpus => amount.gpus.into(),
            Kind::Cpus => amount.cpus.into(),
            Kind::Memory => amount.memory_mib,
        }
    }

    /// "1 GPU", "12 CPUs", "64 GiB of memory".
    pub(crate) fn count(self, n: u64) -> String {
        let s = if n == 1 { "" } else { "s" };
        match self {
            Kind::Gpus => format!("{n} GPU{s}"),
            Kind::Cpus => format!("{n} CPU{s}"),
            Kind::Memory if n >= 1024 && n.is_multiple_of(1024) => format!("{} GiB of memory", n / 1024),
            Kind::Memory => format!("{n} MiB of memory"),
        }
    }

    /// "No GPU is free", "1 GPU is free", "12 CPUs are free".
    pub(crate) fn free(self, n: u64) -> String {
        let amount = match (self, n) {
            (Kind::Gpus, 0) => "No GPU".to_owned(),
            (Kind::Cpus, 0) => "No CPU".to_owned(),
            (Kind::Memory, 0) => "No memory".to_owned(),
            _ => self.count(n),
        };
        let plural = self != Kind::Memory && n > 1;
        format!("{amount} {} free", if plural { "are" } else { "is" })
    }
}

/// All that is in an amount: "2 GPUs, 8 CPUs and 64 GiB of memory".
pub(crate) fn list(amount: &Resources) -> String {
    let counted = Kind::ALL.into_iter().filter(|kind| kind.of(amount) > 0);
    let said: Vec<String> = counted.map(|kind| kind.count(kind.of(amount))).collect();
    match said.split_last() {
        None => "nothing".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// "1 node", "4 nodes".
pub(crate) fn counted(n: u32, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_read_as_people_say_them() {
        let amount = Resources { cpus: 8, gpus: 1, memory_mib: 65_536 };
        assert_eq!(list(&amount), "1 GPU, 8 CPUs and 64 GiB of memory");
        assert_eq!(list(&Resources::cpus(1)), "1 CPU");
        assert_eq!(list(&Resources::default()), "nothing");
        assert_eq!(Kind::Cpus.free(0), "No CPU is free");
        assert_eq!(Kind::Gpus.free(20), "20 GPUs are free");
        assert_eq!(Kind::Memory.free(1500), "1500 MiB of memory is free");
    }

    #[test]
    fn what_is_short_comes_before_what_is_only_needed() {
        let need = Resources { cpus: 8, gpus: 1, memory_mib: 0 };
        let free = |cpus, gpus| Resources { cpus, gpus, memory_mib: 0 };
        assert_eq!(Kind::short(&need, &free(4, 1)), Kind::Cpus);
        assert_eq!(Kind::short(&need, &free(4, 0)), Kind::Gpus);
        assert_eq!(Kind::short(&need, &free(8, 1)), Kind::Gpus);
    }
}
