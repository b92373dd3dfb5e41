//! The nouns of Switchyard: time, identifiers, resources, jobs, fleets.
