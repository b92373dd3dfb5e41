//! Generic resources of a node: `gpu:a100:4(S:0-1),nvme:1`.

use std::sync::Arc;

/// The GPUs of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Gres {
    pub(super) gpus: u32,
    /// `None` where none is named, or several are.
    pub(super) model: Option<Arc<str>>,
    /// Several models on one node.
    pub(super) mixed: bool,
    /// What else there is.
    pub(super) others: Vec<String>,
}

/// `None` when a number is none.
pub(super) fn gres(text: &str) -> Option<Gres> {
    let mut gres = Gres::default();
    let mut models: Vec<&str> = Vec::new();
    for item in split_items(text) {
        let plain = item.split('(').next().unwrap_or(item);
        let mut parts = plain.split(':');
        let kind = parts.next().unwrap_or_default();
        let parts: Vec<&str> = parts.filter(|part| *part != "no_consume").collect();
        if !kind.eq_ignore_ascii_case("gpu") {
            gres.others.push(kind.to_owned());
            continue;
        }
        let (model, count) = match parts.as_slice() {
            [] => (None, Some(1)),
            [one] => match one.parse::<u32>() {
                Ok(count) => (None, Some(count)),
                Err(_) => (Some(*one), Some(1)),
            },
            [model, count] => (Some(*model), count.parse().ok()),
            _ => return None,
        };
        gres.gpus = gres.gpus.checked_add(count?)?;
        models.extend(model);
    }
    models.dedup();
    gres.mixed = models.len() > 1;
    gres.model = models.first().filter(|_| models.len() == 1).map(|&model| model.into());
    Some(gres)
}

/// Splits at commas that are not in parentheses.
fn split_items(text: &str) -> Vec<&str> {
    let mut depth = 0u32;
    text.split(|letter| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    })
    .map(str::trim)
    .filter(|item| !item.is_empty())
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_are_counted_and_their_model_kept() {
        let read = |text| gres(text).map(|gres| (gres.gpus, gres.model, gres.mixed));
        assert_eq!(read("gpu:a100:4(S:0-1)"), Some((4, Some("a100".into()), false)));
        assert_eq!(read("gpu:8"), Some((8, None, false)));
        assert_eq!(read("gpu"), Some((1, None, false)));
        assert_eq!(read("gpu:tesla"), Some((1, Some("tesla".into()), false)));
        assert_eq!(read("gpu:a100:2(IDX:0,1),gpu:h100:2"), Some((4, None, true)));
        assert_eq!(read("gpu:a100:x"), None);
        assert_eq!(read("gpu:a:b:c"), None);
        assert_eq!(gres("nvme:2,gpu:1").map(|gres| gres.others), Some(vec!["nvme".to_owned()]));
    }
}
