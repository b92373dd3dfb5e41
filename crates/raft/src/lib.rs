//! A Raft consensus core without clock, disk or network.
