//! What is varied: a parameter or a part, and its values.

use super::list;

/// A parameter and the values that are tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) key: String,
    pub(crate) values: Vec<String>,
}

impl Axis {
    /// For clap.
    pub(crate) fn parse(text: &str) -> Result<Axis, String> {
        let wrong = || format!("write KEY=VALUES, for example bf_window=1440,2880; found \"{text}\"");
        let (key, values) = text.split_once('=').ok_or_else(wrong)?;
        let key = key.trim();
        if key.is_empty() || key.contains(char::is_whitespace) || values.trim().is_empty() {
            return Err(wrong());
        }
        if matches!(key.to_ascii_lowercase().as_str(), "seed" | "seeds") {
            return Err(format!("seeds are given by an option of their own: --seeds {values}"));
        }
        Ok(Axis { key: key.to_owned(), values: list::values(values)? })
    }
}

/// All combinations of one value of each axis; the last axis changes fastest.
pub(crate) fn combinations(axes: &[Axis]) -> impl Iterator<Item = Vec<&str>> {
    let count = axes.iter().map(|axis| axis.values.len()).product();
    (0..count).map(move |index: usize| {
        let mut rest = index;
        let mut values: Vec<&str> = Vec::with_capacity(axes.len());
        for axis in axes.iter().rev() {
            let size = axis.values.len().max(1);
            values.extend(axis.values.get(rest % size).map(String::as_str));
            rest /= size;
        }
        values.reverse();
        values
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_last_axis_changes_fastest() {
        let axes = [Axis::parse("a=1,2").unwrap(), Axis::parse("b=x,y,z").unwrap()];
        let all: Vec<String> = combinations(&axes).map(|values| values.concat()).collect();
        assert_eq!(all, ["1x", "1y", "1z", "2x", "2y", "2z"]);
        assert_eq!(combinations(&[]).count(), 1);
    }

    #[test]
    fn what_is_no_axis_gets_a_sentence() {
        for text in ["bf_window", "=3", "a b=3", "bf_window="] {
            assert!(Axis::parse(text).unwrap_err().starts_with("write KEY=VALUES"), "{text}");
        }
        assert!(Axis::parse("seed=0..9").unwrap_err().ends_with("--seeds 0..9"));
    }
}
