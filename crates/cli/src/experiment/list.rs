//! Lists and ranges as people write them: `1440,2880`, `60..600:60`, `0..9`.

/// A longer list is a mistake.
const VALUES_MAX: i128 = 100_000;

/// Seeds, each once, in the order in which they were given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seeds(pub(crate) Vec<u64>);

/// For clap.
pub(crate) fn seeds(text: &str) -> Result<Seeds, String> {
    let seed = |value: String| {
        value.parse().map_err(|_| format!("a seed is a whole number, as in 0..9 or 1,4,7; found \"{value}\""))
    };
    Ok(Seeds(values(text)?.into_iter().map(seed).collect::<Result<_, _>>()?))
}

/// The values of a list whose items are single values or ranges with both ends, each value once.
pub(crate) fn values(text: &str) -> Result<Vec<String>, String> {
    let mut all: Vec<String> = Vec::new();
    for item in text.split(',').map(str::trim) {
        if item.is_empty() {
            return Err(format!("there is an empty value in \"{text}\"; write values as in 1440,2880"));
        }
        match item.split_once("..") {
            Some((from, to)) => all.extend(range(item, from, to)?),
            None => all.push(item.to_owned()),
        }
        if all.len() as i128 > VALUES_MAX {
            return Err(too_many(text));
        }
    }
    let mut sorted: Vec<&String> = all.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair.first() == pair.last()).and_then(|pair| pair.first()) {
        Some(twice) => Err(format!("the value {twice} is there twice; leave it out once")),
        None => Ok(all),
    }
}

fn range(item: &str, from: &str, to: &str) -> Result<Vec<String>, String> {
    let wrong =
        || format!("a range is FROM..TO or FROM..TO:STEP with numbers, as in 60..600:60; found \"{item}\"");
    let (to, step) = to.split_once(':').unwrap_or((to, "1"));
    let numbers = [from, to, step].map(|text| Decimal::parse(text.trim()));
    let [Some(from), Some(to), Some(step)] = numbers else { return Err(wrong()) };
    let places = from.places.max(to.places).max(step.places);
    let [from, to, step] = [from, to, step].map(|number| number.scaled(places));
    if step <= 0 || to < from {
        return Err(format!("a range goes up by a step above 0, as in 60..600:60; found \"{item}\""));
    }
    if (to - from) / step >= VALUES_MAX {
        return Err(too_many(item));
    }
    let count = (to - from) / step;
    Ok((0..=count).map(|index| Decimal { units: from + index * step, places }.to_text()).collect())
}

fn too_many(text: &str) -> String {
    format!("\"{text}\" is more than {VALUES_MAX} values; take a larger step")
}

/// A number as it is written, so that 0.1 steps stay exact.
#[derive(Clone, Copy)]
struct Decimal {
    units: i128,
    /// Digits behind the point.
    places: u32,
}

impl Decimal {
    fn parse(text: &str) -> Option<Decimal> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = whole.strip_prefix('-').unwrap_or(whole);
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        // 20 digits are enough for any seed.
        if digits.is_empty() || digits.len() > 20 || part.len() > 9 || !plain(digits) || !plain(part) {
            return None;
        }
        let units = format!("{whole}{part}").parse().ok()?;
        Some(Decimal { units, places: u32::try_from(part.len()).ok()? })
    }

    fn scaled(self, places: u32) -> i128 {
        self.units * 10i128.pow(places.saturating_sub(self.places))
    }

    fn to_text(self) -> String {
        if self.places == 0 {
            return self.units.to_string();
        }
        let unit = 10i128.pow(self.places);
        let sign = if self.units < 0 { "-" } else { "" };
        let units = self.units.abs();
        let text = format!("{sign}{}.{:0width$}", units / unit, units % unit, width = self.places as usize);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn list(text: &str) -> String {
        values(text).unwrap().join(" ")
    }

    #[test]
    fn lists_and_ranges_mix_and_ranges_have_both_ends() {
        assert_eq!(list("1440,2880"), "1440 2880");
        assert_eq!(list("60..600:60"), "60 120 180 240 300 360 420 480 540 600");
        assert_eq!(list("0..3,10, 20"), "0 1 2 3 10 20");
        assert_eq!(list("1..10:4"), "1 5 9");
        assert_eq!(list("-2..2:2"), "-2 0 2");
        assert_eq!(list("7-0,1:30,padded:3"), "7-0 1:30 padded:3");
        assert_eq!(seeds("18446744073709551614..18446744073709551615").unwrap().0, [u64::MAX - 1, u64::MAX]);
    }

    /// 0.1 + 0.2 is not 0.3 in binary; here it is.
    #[test]
    fn steps_of_tenths_stay_exact() {
        assert_eq!(list("0.8..1.2:0.1"), "0.8 0.9 1 1.1 1.2");
        assert_eq!(list("-0.05..0.05:0.05"), "-0.05 0 0.05");
    }

    #[test]
    fn mistakes_get_a_sentence() {
        let said = |text: &str| values(text).unwrap_err();
        assert!(said("a..b").starts_with("a range is FROM..TO"));
        assert!(said("1..2:x").starts_with("a range is FROM..TO"));
        for text in ["9..0", "1..5:0", "1..5:-1"] {
            assert!(said(text).starts_with("a range goes up"), "{text}");
        }
        assert_eq!(said("1,2,1"), "the value 1 is there twice; leave it out once");
        assert!(said("1,,2").starts_with("there is an empty value"));
        assert!(said("0..1000000").ends_with("take a larger step"));
        assert!(said("0..99999999999999999999").ends_with("take a larger step"));
        assert!(seeds("-1").unwrap_err().starts_with("a seed is a whole number"));
    }
}
