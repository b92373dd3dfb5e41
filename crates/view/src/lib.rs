//! What the page shows and what may be done to it, as plain data: views, layout, intents and words; no Bevy, no egui.
//!
//! A visitor's wish is an [`Intent`](intent::Intent); [`resolve`](resolve::resolve) turns it into an
//! [`Action`](resolve::Action) or a [`Refusal`](refusal::Refusal) in one sentence. What the page shows of the world is a
//! view: plain data made by a plain function, one file each.

pub mod accounts;
pub mod card;
pub mod charts;
pub mod events;
pub mod import;
pub mod inspector;
pub mod intent;
pub mod invariants;
pub mod keymap;
pub mod layout;
pub mod legend;
pub mod mark;
pub mod pace;
pub mod page;
pub mod places;
pub mod policy;
pub mod queue;
pub mod raft;
pub mod refusal;
pub mod resolve;
pub mod stage;
pub mod staging;
pub mod switch;
pub mod topbar;
pub mod words;

#[cfg(test)]
mod testing;
