//! The `Key=value` pairs of a line.

/// A key as it is written, and its value. Only the first `=` splits; there may be blanks around it; a value with blanks stands
/// in quotes.
///
/// # Errors
/// With the rest of the line, where that is no pair.
pub(super) fn pairs(line: &str) -> Result<Vec<(&str, &str)>, &str> {
    let mut pairs = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=').ok_or(rest)?;
        let key = key.trim_end();
        if key.is_empty() || key.contains(char::is_whitespace) {
            return Err(rest);
        }
        let after = after.trim_start();
        let (value, left) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or(rest)?,
            None => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
        };
        pairs.push((key, value));
        rest = left.trim_start();
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::pairs;

    #[test]
    fn only_the_first_equals_sign_splits() {
        assert_eq!(pairs("A=b=c d = e"), Ok(vec![("A", "b=c"), ("d", "e")]));
        assert_eq!(pairs("Reason=\"two words\" X=1"), Ok(vec![("Reason", "two words"), ("X", "1")]));
        assert_eq!(pairs("A= B=2"), Ok(vec![("A", "B=2")]));
        assert_eq!(pairs("A="), Ok(vec![("A", "")]));
        assert_eq!(pairs("A=1 word"), Err("word"));
        assert_eq!(pairs("two words=1"), Err("two words=1"));
        assert_eq!(pairs("=1"), Err("=1"));
        assert_eq!(pairs("A=\"open"), Err("A=\"open"));
    }
}
