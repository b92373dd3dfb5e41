//! From text to lines that count: without comments, joined where they are continued.

/// A line without its comment, and its number, from 1.
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) text: String,
}

/// The lines of `text` that say something.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut open: Option<Line> = None;
    for (number, raw) in (1..).zip(text.lines()) {
        let said = without_comment(raw);
        let (said, goes_on) = match said.trim_end().strip_suffix('\\') {
            Some(said) => (said, true),
            None => (said.as_str(), false),
        };
        let line = match open.take() {
            Some(mut line) => {
                line.text.push_str(said);
                line
            }
            None => Line { number, text: said.to_owned() },
        };
        if goes_on {
            open = Some(line);
        } else {
            lines.push(line);
        }
    }
    lines.extend(open);
    lines.retain(|line| !line.text.trim().is_empty());
    lines
}

/// Up to the first `#` that has no backslash before it.
fn without_comment(raw: &str) -> String {
    let mut said = String::with_capacity(raw.len());
    let mut letters = raw.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '#' => break,
            '\\' if letters.peek() == Some(&'#') => said.extend(letters.next()),
            _ => said.push(letter),
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn comments_go_and_continued_lines_are_joined() {
        let text = "# head\nA=1 # one\n\nB=\\\n  2 \\\n  C=3\nD=a\\#b\nE=5 \\";
        let read: Vec<(u64, String)> =
            lines(text).into_iter().map(|line| (line.number, line.text.trim().to_owned())).collect();
        let expected = [(2, "A=1"), (4, "B=  2   C=3"), (7, "D=a#b"), (8, "E=5")];
        assert_eq!(read, expected.map(|(number, text)| (number, text.to_owned())));
    }
}
