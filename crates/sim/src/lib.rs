//! The deterministic world that joins scheduler, consensus, network and machines.
