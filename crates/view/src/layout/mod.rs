//! Where everything stands: plain geometry over a [`Stage`](crate::stage::Stage), in metres.
//!
//! One round plan about one point, the signal: the queue comes in from the left, the control plane stands in the
//! middle, the racks stand behind it. The scene draws it, the camera frames it, and the pointer is tested
//! against it here, so that all three agree.

pub mod control;
pub mod cut;
pub mod home;
pub mod labels;
pub mod lane;
pub mod measures;
pub mod paths;
pub mod pick;
pub mod pose;
pub mod racks;
