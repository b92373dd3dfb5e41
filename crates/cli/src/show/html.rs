//! Bits of HTML.

use switchyard_scheduler::metrics::{Better, Paired, Verdict};

/// An element without attributes.
pub(crate) struct Tag(pub(crate) &'static str);

impl Tag {
    /// With this text inside.
    pub(crate) fn with(&self, text: &str) -> String {
        format!("<{0}>{1}</{0}>", self.0, escaped(text))
    }
}

/// Text that stands for itself.
pub(crate) fn escaped(text: &str) -> String {
    let mut page = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => page.push_str("&amp;"),
            '<' => page.push_str("&lt;"),
            '>' => page.push_str("&gt;"),
            '"' => page.push_str("&quot;"),
            other => page.push(other),
        }
    }
    page
}

/// A mean difference with its interval on a line with 0 in its middle.
pub(crate) fn forest(paired: &Paired, better: Better, reach: f64) -> String {
    const MIDDLE: f64 = 75.0;
    if reach <= 0.0 {
        return String::new();
    }
    let x = |value: f64| MIDDLE + value / reach * (MIDDLE - 5.0);
    let colour = match better.judge(paired.difference.mean) {
        Verdict::Better => "var(--good)",
        Verdict::Worse => "var(--bad)",
        Verdict::Equal => "var(--muted)",
    };
    let whisker = paired.interval.map(|interval| {
        format!(
            "<line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"9\" y2=\"9\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            x(interval.low),
            x(interval.high)
        )
    });
    format!(
        "<svg class=\"forest\" viewBox=\"0 0 150 18\" aria-hidden=\"true\"><line x1=\"{MIDDLE}\" x2=\"{MIDDLE}\" y1=\"0\" y2=\"18\" \
         stroke=\"var(--rule)\"/>{}<circle cx=\"{:.1}\" cy=\"9\" r=\"4\" fill=\"{colour}\"/></svg>",
        whisker.unwrap_or_default(),
        x(paired.difference.mean)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_not_break_out() {
        assert_eq!(Tag("td").with("<script>\"&"), "<td>&lt;script&gt;&quot;&amp;</td>");
    }
}
