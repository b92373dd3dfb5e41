//! Why a task stopped, as a sentence that ends with what to do.

use std::fmt;

/// A sentence for the person at the keyboard.
#[derive(Debug)]
pub(crate) struct Problem(String);

/// What a task comes to.
pub(crate) type Outcome<T = ()> = Result<T, Problem>;

impl Problem {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
