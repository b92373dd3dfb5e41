//! Lists of hosts: `n[01-03,7],login`, `rack[0-1]node[0-3]`.

/// More names than this are no fleet.
pub(super) const HOSTS_MAX: usize = 1 << 20;

/// Why a text is no list of hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoHosts {
    /// It is not written like one.
    Malformed,
    /// It stands for more than [`HOSTS_MAX`].
    TooMany,
}

/// The names that a list stands for, in its order.
pub(super) fn hosts(list: &str) -> Result<Vec<String>, NoHosts> {
    let mut names = Vec::new();
    for item in split_outside(list)? {
        let fresh = expand(item)?;
        if names.len() + fresh.len() > HOSTS_MAX {
            return Err(NoHosts::TooMany);
        }
        names.extend(fresh);
    }
    Ok(names)
}

/// Splits at commas that are not in brackets.
fn split_outside(list: &str) -> Result<Vec<&str>, NoHosts> {
    let mut items = Vec::new();
    let (mut inside, mut from) = (false, 0);
    for (at, letter) in list.char_indices() {
        match letter {
            '[' if !inside => inside = true,
            ']' if inside => inside = false,
            '[' | ']' => return Err(NoHosts::Malformed),
            ',' if !inside => {
                items.push(list.get(from..at).unwrap_or_default());
                from = at + 1;
            }
            _ => {}
        }
    }
    if inside {
        return Err(NoHosts::Malformed);
    }
    items.push(list.get(from..).unwrap_or_default());
    items.retain(|item| !item.trim().is_empty());
    Ok(items)
}

/// One item: text and brackets in turn, each bracket multiplying.
fn expand(item: &str) -> Result<Vec<String>, NoHosts> {
    let mut names = vec![String::new()];
    let mut rest = item.trim();
    loop {
        let (plain, after) = match rest.split_once('[') {
            Some((plain, after)) => (plain, Some(after)),
            None => (rest, None),
        };
        if plain.contains(char::is_whitespace) {
            return Err(NoHosts::Malformed);
        }
        names.iter_mut().for_each(|name| name.push_str(plain));
        let Some(after) = after else { return Ok(names) };
        let (ranges, left) = after.split_once(']').ok_or(NoHosts::Malformed)?;
        let numbers = numbers(ranges)?;
        if names.len().saturating_mul(numbers.len()) > HOSTS_MAX {
            return Err(NoHosts::TooMany);
        }
        names = names
            .iter()
            .flat_map(|name| numbers.iter().map(move |number| format!("{name}{number}")))
            .collect();
        rest = left;
    }
}

/// `01-03,7` as `01`, `02`, `03`, `7`.
fn numbers(ranges: &str) -> Result<Vec<String>, NoHosts> {
    let mut numbers = Vec::new();
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (from, to) = (number(first)?, number(last)?);
        if to < from {
            return Err(NoHosts::Malformed);
        }
        if to - from >= HOSTS_MAX as u64 {
            return Err(NoHosts::TooMany);
        }
        let width = first.trim().len();
        numbers.extend((from..=to).map(|number| format!("{number:0width$}")));
        if numbers.len() > HOSTS_MAX {
            return Err(NoHosts::TooMany);
        }
    }
    Ok(numbers)
}

fn number(text: &str) -> Result<u64, NoHosts> {
    let text = text.trim();
    let plain = !text.is_empty() && text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten().ok_or(NoHosts::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(list: &str) -> Result<String, NoHosts> {
        hosts(list).map(|names| names.join(" "))
    }

    #[test]
    fn brackets_multiply_and_keep_their_width() {
        for (list, expected) in [
            ("n[0-3]", "n0 n1 n2 n3"),
            ("n[08-11],login", "n08 n09 n10 n11 login"),
            ("r[0-1]n[1,3]", "r0n1 r0n3 r1n1 r1n3"),
            ("n[1-2]-ib", "n1-ib n2-ib"),
            (" a , b,", "a b"),
            ("n[001-002,7]", "n001 n002 n7"),
        ] {
            assert_eq!(said(list).as_deref(), Ok(expected), "{list}");
        }
    }

    #[test]
    fn nonsense_and_absurd_lengths_are_refused() {
        for list in ["n[0-", "n0]", "n[[1]]", "n[]", "n[a-b]", "n[3-1]", "n[-3]", "n[1-2-3]", "a b"] {
            assert_eq!(said(list), Err(NoHosts::Malformed), "{list}");
        }
        for list in ["n[0-99999999]", "a[0-9999]b[0-9999]", "n[0-999999],m[0-999999]", "n[0-999999,0-999999]"]
        {
            assert_eq!(said(list), Err(NoHosts::TooMany), "{list}");
        }
        assert_eq!(said("n[0-99999999999999999999]"), Err(NoHosts::Malformed));
    }
}
