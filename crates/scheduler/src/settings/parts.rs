//! A policy with one of its parts replaced by another, chosen by its name.

use thiserror::Error;

use crate::{Discipline, Multifactor, Order, PlacementRule, Policy};

/// Nobody called a part that.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PartError {
    /// No such order.
    #[error("there is no order \"{name}\"; choose one of {}, multifactor", Order::NAMES.join(", "))]
    Order {
        /// What was asked for.
        name: String,
    },
    /// No such discipline.
    #[error("there is no discipline \"{name}\"; choose one of {}", Discipline::NAMES.join(", "))]
    Discipline {
        /// What was asked for.
        name: String,
    },
    /// No such placement.
    #[error("there is no placement \"{name}\"; choose one of {}", PlacementRule::NAMES.join(", "))]
    Placement {
        /// What was asked for.
        name: String,
    },
}

impl Policy {
    /// The same policy with another order. `multifactor` stands for the policy's own priorities if it has any, else for those of
    /// the seed lab.
    ///
    /// # Errors
    /// When the name is neither `multifactor` nor one of [`Order::NAMES`].
    pub fn with_order(self, name: &str) -> Result<Policy, PartError> {
        let order = match (name, &self.order) {
            ("multifactor", Order::Multifactor(own)) => Some(Order::Multifactor(own.clone())),
            ("multifactor", _) => Some(Order::Multifactor(Multifactor::seed_lab())),
            _ => Order::named(name),
        };
        let Some(order) = order else { return Err(PartError::Order { name: name.to_owned() }) };
        let said = (order != self.order).then(|| format!("order={}", order.name()));
        Ok(Policy { order, ..self.renamed(said) })
    }

    /// The same policy with another discipline. A policy that has it already keeps its parameters.
    ///
    /// # Errors
    /// When the name is none of [`Discipline::NAMES`].
    pub fn with_discipline(self, name: &str) -> Result<Policy, PartError> {
        let Some(discipline) = Discipline::named(name) else {
            return Err(PartError::Discipline { name: name.to_owned() });
        };
        if discipline.name() == self.discipline.name() {
            return Ok(self);
        }
        let said = Some(format!("discipline={}", discipline.name()));
        Ok(Policy { discipline, ..self.renamed(said) })
    }

    /// The same policy with another placement.
    ///
    /// # Errors
    /// When the name is none of [`PlacementRule::NAMES`].
    pub fn with_placement(self, name: &str) -> Result<Policy, PartError> {
        let Some(placement) = PlacementRule::named(&name.replace('_', "-")) else {
            return Err(PartError::Placement { name: name.to_owned() });
        };
        let said = (placement != self.placement).then(|| format!("placement={}", placement.name()));
        Ok(Policy { placement, ..self.renamed(said) })
    }

    /// Its name with what was changed: `easy+order=shortest`.
    pub(super) fn renamed(self, said: Option<String>) -> Policy {
        match said {
            Some(said) => Policy { name: format!("{}+{said}", self.name).into(), ..self },
            None => self,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn named(name: &str) -> Policy {
        Policy::named(name).unwrap()
    }

    #[test]
    fn a_changed_policy_says_so_in_its_name() {
        let easy = named("easy").with_order("shortest").unwrap().with_placement("best-fit").unwrap();
        assert_eq!(&*easy.name, "easy+order=shortest+placement=best-fit");
        assert_eq!(
            (easy.order, easy.discipline, easy.placement),
            (Order::Shortest, Discipline::EasyCount, PlacementRule::BestFit)
        );
        let strict = named("seed-lab-easy").with_discipline("strict").unwrap();
        assert_eq!(&*strict.name, "seed-lab-easy+discipline=strict");
        assert_eq!(strict.order, named("seed-lab-off").order);
    }

    #[test]
    fn what_stays_as_it_is_leaves_the_name() {
        let same = named("easy").with_order("fifo").unwrap().with_discipline("easy_count").unwrap();
        assert_eq!(same.with_placement("first_fit").unwrap(), named("easy"));
        let lab = named("seed-lab-v01");
        assert_eq!(lab.clone().with_order("multifactor").unwrap(), lab);
        let borrowed = named("easy").with_order("multifactor").unwrap();
        assert_eq!(borrowed.order, named("seed-lab-easy").order);
    }

    #[test]
    fn unknown_parts_are_answered_with_all_there_are() {
        let said = |result: Result<Policy, PartError>| result.unwrap_err().to_string();
        let order = said(named("easy").with_order("longest"));
        assert!(order.starts_with("there is no order \"longest\"; choose one of fifo, shortest,"), "{order}");
        assert!(order.ends_with(", multifactor"));
        let discipline = said(named("easy").with_discipline("easy"));
        assert!(discipline.starts_with("there is no discipline \"easy\"; choose one of strict, easy-count,"));
        let placement = said(named("easy").with_placement("random"));
        assert!(placement.starts_with("there is no placement \"random\"; choose one of first-fit,"));
    }
}
