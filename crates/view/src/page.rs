//! What of the page is open, apart from the run: tab, help, filter.

use crate::events::EventFilter;
use crate::intent::Tab;
use crate::places::{LOW, Rect, Width};
use crate::resolve::Action;

/// What of the page is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageState {
    tab: Tab,
    /// Whether the dock shows more than its tabs; nothing until the visitor decides.
    open: Option<bool>,
    help: bool,
    policies: bool,
    filter: EventFilter,
}

impl PageState {
    /// The tab that is open on a page of this size; nothing while the dock is folded. Low pages keep it folded until
    /// the visitor opens it, and only narrow ones have a tab for the selection.
    pub fn open_tab(&self, page: Rect) -> Option<Tab> {
        let narrow = Width::of(page.width()) == Width::Narrow;
        let tab = if self.tab == Tab::Selected && !narrow { Tab::Charts } else { self.tab };
        self.open.unwrap_or(page.height() >= LOW).then_some(tab)
    }

    /// Whether keys and marks are shown.
    pub const fn help(&self) -> bool {
        self.help
    }

    /// Whether the policies to choose from are shown.
    pub const fn policies(&self) -> bool {
        self.policies
    }

    /// Which events are shown.
    pub const fn filter(&self) -> EventFilter {
        self.filter
    }

    /// Carries out what concerns the page alone; tells whether it did.
    pub fn carry_out(&mut self, action: &Action, page: Rect) -> bool {
        match action {
            Action::OpenTab(tab) => {
                self.tab = *tab;
                self.open = Some(true);
            }
            Action::ToggleDock => self.open = Some(self.open_tab(page).is_none()),
            Action::ToggleHelp => self.help = !self.help,
            Action::ShowPolicies(show) => self.policies = *show,
            Action::Dismiss if self.policies => self.policies = false,
            Action::Dismiss if self.help => self.help = false,
            Action::FilterEvents(filter) => self.filter = *filter,
            _ => return false,
        }
        true
    }

    /// Something was selected: a narrow page explains it in the sheet, since there is no room beside the scene.
    pub fn selected(&mut self, page: Rect) {
        if Width::of(page.width()) == Width::Narrow {
            self.carry_out(&Action::OpenTab(Tab::Selected), page);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHONE: Rect = Rect { left: 0.0, top: 0.0, right: 390.0, bottom: 844.0 };
    const EMBED: Rect = Rect { left: 0.0, top: 0.0, right: 800.0, bottom: 450.0 };
    const DESK: Rect = Rect { left: 0.0, top: 0.0, right: 1_280.0, bottom: 720.0 };

    #[test]
    fn low_pages_begin_folded_and_open_at_a_tab() {
        let mut page = PageState::default();
        assert_eq!(page.open_tab(EMBED), None);
        assert_eq!(page.open_tab(DESK), Some(Tab::Charts));
        page.carry_out(&Action::OpenTab(Tab::Queue), EMBED);
        assert_eq!(page.open_tab(EMBED), Some(Tab::Queue));
        page.carry_out(&Action::ToggleDock, EMBED);
        assert_eq!((page.open_tab(EMBED), page.open_tab(DESK)), (None, None));
    }

    #[test]
    fn a_selection_opens_the_sheet_of_a_phone_and_nothing_elsewhere() {
        let mut page = PageState::default();
        page.selected(DESK);
        assert_eq!(page.open_tab(DESK), Some(Tab::Charts));
        page.selected(PHONE);
        assert_eq!(page.open_tab(PHONE), Some(Tab::Selected));
        assert_eq!(page.open_tab(DESK), Some(Tab::Charts), "after turning the phone there is an inspector");
    }

    #[test]
    fn escape_takes_the_help_away_first() {
        let mut page = PageState::default();
        page.carry_out(&Action::ToggleHelp, DESK);
        assert!(page.carry_out(&Action::Dismiss, DESK) && !page.help());
        assert!(!page.carry_out(&Action::Dismiss, DESK), "now it is for what lies below");
        page.carry_out(&Action::ShowPolicies(true), DESK);
        page.carry_out(&Action::ShowPolicies(true), DESK);
        assert!(page.policies() && page.carry_out(&Action::Dismiss, DESK) && !page.policies());
    }
}
