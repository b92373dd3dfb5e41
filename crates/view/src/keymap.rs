//! The keys: one row each, for the keyboard, the tooltips of buttons, and the help page.

use crate::intent::{Intent, Tab};

/// A key, by what it writes rather than where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A key that writes this, in lower case.
    Char(char),
    /// The space bar.
    Space,
    /// Escape.
    Escape,
    /// Home.
    Home,
}

/// A key and what it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The key.
    pub key: Key,
    /// What it wishes for.
    pub intent: Intent,
    /// What that is, in words.
    pub words: &'static str,
}

const fn row(key: Key, intent: Intent, words: &'static str) -> Row {
    Row { key, intent, words }
}

/// All keys, in the order of the help page.
pub static ROWS: [Row; 22] = [
    row(Key::Space, Intent::PlayPause, "Play or pause"),
    row(Key::Char('.'), Intent::StepEvent, "Step to the next event"),
    row(Key::Char(','), Intent::StepPass, "Step to the next scheduling pass"),
    row(Key::Char(']'), Intent::Faster, "Faster"),
    row(Key::Char('['), Intent::Slower, "Slower"),
    row(Key::Char('k'), Intent::KillLeader, "Kill the leader"),
    row(Key::Char('x'), Intent::KillOrRestartSelected, "Kill or restart what is selected"),
    row(Key::Char('p'), Intent::CutSelected, "Cut off what is selected, or the leader with a minority"),
    row(Key::Char('h'), Intent::Heal, "Heal the network"),
    row(Key::Char('b'), Intent::ToggleBackfill, "Backfill on or off"),
    row(Key::Char('s'), Intent::ShowPolicies(true), "Choose the scheduling policy"),
    row(Key::Home, Intent::Home, "Show the whole yard"),
    row(Key::Char('f'), Intent::Frame, "Frame what is selected"),
    row(Key::Char('o'), Intent::OpenFilePicker, "Open a trace"),
    row(Key::Char('1'), Intent::OpenTab(Tab::Charts), "Charts"),
    row(Key::Char('2'), Intent::OpenTab(Tab::Queue), "Queue"),
    row(Key::Char('3'), Intent::OpenTab(Tab::Raft), "Raft"),
    row(Key::Char('4'), Intent::OpenTab(Tab::Events), "Events"),
    row(Key::Char('5'), Intent::OpenTab(Tab::Invariants), "Invariants"),
    row(Key::Char('d'), Intent::ToggleDock, "Fold the dock or open it"),
    row(Key::Char('?'), Intent::ToggleHelp, "These keys"),
    row(Key::Escape, Intent::Dismiss, "Put away what is on top"),
];

/// What moves the camera: keys, pointer, touch. The camera reads these itself.
pub const CAMERA: [(&str, &str); 5] = [
    ("Arrows", "Turn"),
    ("+ and \u{2212}", "Zoom"),
    ("Drag", "Turn; with Shift or the right button, move"),
    ("Wheel, pinch", "Zoom"),
    ("Double click", "Frame"),
];

impl Key {
    /// As it is written on the key.
    pub fn label(self) -> String {
        match self {
            Key::Char(c) => c.to_uppercase().collect(),
            Key::Space => "Space".to_owned(),
            Key::Escape => "Esc".to_owned(),
            Key::Home => "Home".to_owned(),
        }
    }
}

/// What a key wishes for.
pub fn intent_of(key: Key) -> Option<Intent> {
    ROWS.iter().find(|row| row.key == key).map(|row| row.intent.clone())
}

/// The label of the key for this wish.
pub fn key_for(intent: &Intent) -> Option<String> {
    ROWS.iter().find(|row| row.intent == *intent).map(|row| row.key.label())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_rows_share_a_key_or_a_wish() {
        for (place, row) in ROWS.iter().enumerate() {
            for other in ROWS.iter().skip(place + 1) {
                assert_ne!(row.key, other.key, "{} and {} clash", row.words, other.words);
                assert_ne!(row.intent, other.intent, "{} has two keys", row.words);
            }
        }
    }

    #[test]
    fn keys_of_the_camera_are_left_to_it() {
        let written = |key| matches!(key, Key::Char('+' | '-' | '\u{2212}'));
        assert!(!ROWS.iter().any(|row| written(row.key)));
    }

    #[test]
    fn keys_and_wishes_find_each_other() {
        assert_eq!(intent_of(Key::Char('k')), Some(Intent::KillLeader));
        assert_eq!(intent_of(Key::Char('q')), None);
        assert_eq!(key_for(&Intent::ToggleBackfill).as_deref(), Some("B"));
        assert!(ROWS.iter().all(|row| !matches!(row.key, Key::Char(c) if c.is_uppercase())));
    }
}
