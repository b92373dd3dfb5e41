//! Sizes of the model yard, in metres; x to the right, y up, z towards the viewer.

use glam::Vec3;

/// The point that everything faces: the signal's place on the floor.
pub const CENTRE: Vec3 = Vec3::new(0.0, 0.0, 2.7);

/// Radius of the first row of racks about the centre.
pub const RACK_RADIUS: f32 = 6.6;
/// How much farther out each further row stands.
pub const RACK_ROW: f32 = 2.3;
/// Distance of neighbouring racks along the arc.
pub const RACK_SPACING: f32 = 1.14;
/// Racks in the first row.
pub const RACKS_IN_FIRST_ROW: usize = 8;
/// Width, height and depth of a rack.
pub const RACK: Vec3 = Vec3::new(1.0, 2.34, 0.8);
/// Height of the plinth under a rack.
pub const RACK_PLINTH: f32 = 0.08;
/// Thickness of the posts and the back panel.
pub const RACK_POST: f32 = 0.03;
/// The leaf switch on top of a rack.
pub const LEAF: Vec3 = Vec3::new(1.0, 0.11, 0.74);

/// Height of the lowest tray's underside.
pub const FIRST_TRAY: f32 = 0.18;
/// Distance from tray to tray in a rack of four.
pub const TRAY_PITCH: f32 = 0.55;
/// Trays that fit into a rack at the full pitch.
pub const TRAYS_AT_FULL_PITCH: usize = 4;
/// Width, thickness and depth of a tray.
pub const TRAY: Vec3 = Vec3::new(0.95, 0.045, 0.76);
/// Height of the lip at the front of a tray.
pub const TRAY_LIP: f32 = 0.085;

/// Width, height and depth of a GPU that runs.
pub const GPU: Vec3 = Vec3::new(0.235, 0.15, 0.19);
/// Height of a GPU that is idle.
pub const GPU_IDLE: f32 = 0.03;
/// Height of the outline round a reserved GPU.
pub const GPU_RESERVED: f32 = 0.195;
/// Distance of GPU places across the tray.
pub const GPU_PITCH_X: f32 = 0.285;
/// Distance of GPU places along the tray.
pub const GPU_PITCH_Z: f32 = 0.228;
/// The NVSwitch in the middle of a tray.
pub const NVSWITCH: Vec3 = Vec3::new(0.215, 0.045, 0.17);
/// The frame round a wholly reserved node.
pub const NODE_FRAME: Vec3 = Vec3::new(0.89, 0.225, 0.7);

/// A spine switch.
pub const SPINE: Vec3 = Vec3::new(1.5, 0.13, 0.34);
/// Height of the spine switches' underside.
pub const SPINE_HEIGHT: f32 = 2.95;
/// How far behind the first row the spine switches hang.
pub const SPINE_BEHIND: f32 = 0.35;
/// How deep a cable sags at its middle.
pub const CABLE_SAG: f32 = 0.05;

/// Radius of the replicas' arc.
pub const CONTROL_RADIUS: f32 = 2.85;
/// Angle between neighbouring replicas, in degrees.
pub const CONTROL_STEP_DEG: f32 = 20.6;
/// Depth of the platform under the replicas.
pub const PLATFORM_DEPTH: f32 = 1.2;
/// Height of platforms.
pub const PLATFORM_HEIGHT: f32 = 0.06;
/// Width and depth of a replica's column.
pub const COLUMN: f32 = 0.44;
/// Thickness of a slab, one log entry.
pub const SLAB: f32 = 0.062;
/// Gap between slabs.
pub const SLAB_GAP: f32 = 0.014;
/// Radius of a head at its widest.
pub const HEAD_RADIUS: f32 = 0.225;
/// Height of a head.
pub const HEAD_HEIGHT: f32 = 0.2;
/// Radius of the election timer's ring.
pub const TIMER_RADIUS: f32 = 0.4;

/// Distance between the two rails of a track.
pub const TRACK_GAUGE: f32 = 0.1;
/// Radius at which tracks begin.
pub const TRACK_FROM: f32 = 0.7;

/// Where the first job of the queue stands.
pub const GATE: Vec3 = Vec3::new(-0.4, 0.0, 3.32);
/// Radius of the queue's lane.
pub const LANE_RADIUS: f32 = 8.5;
/// Depth of the platform under the lane.
pub const LANE_DEPTH: f32 = 1.0;
/// Width of one slice of a job block: one node.
pub const SLICE: f32 = 0.155;
/// Depth of a job block per slot on each node.
pub const SLOT_DEPTH: f32 = 0.085;
/// Depth of the smallest job block.
pub const SMALLEST_DEPTH: f32 = 0.17;
/// Gap between job blocks.
pub const LANE_GAP: f32 = 0.2;
/// Slices that are drawn at most; a wider job shows this many.
pub const SLICES_SHOWN: u32 = 12;
/// Length of lane that is drawn with blocks.
pub const LANE_LENGTH: f32 = 7.2;

/// Where the signal's mast stands.
pub const SIGNAL: Vec3 = Vec3::new(0.52, 0.0, 3.0);
/// Height of the signal's mast.
pub const SIGNAL_HEIGHT: f32 = 0.86;

/// Height of the curtain along a partition.
pub const WALL_HEIGHT: f32 = 1.65;
