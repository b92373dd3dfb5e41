//! Scheduling decisions, replay of a trace, metrics.
