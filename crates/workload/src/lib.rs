//! Reading and generating workloads.
