//! Colours of the scene for both themes: one numbered list, so that a mesh says "rack post" and not a colour.
//!
//! A mesh stores the number of a [`Hue`] with each vertex, and the shaders look the colour up in a table. So a
//! change of theme rewrites one table and no mesh.

use bevy::prelude::*;

use super::Theme;

/// What a surface or a line is, which gives its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hue {
    /// The floor.
    Floor,
    /// Platforms under the control plane and the lane.
    Platform,
    /// Posts of racks.
    RackPost,
    /// Back panels of racks.
    RackBack,
    /// Plinths of racks.
    RackPlinth,
    /// Leaf and spine switches.
    SwitchBox,
    /// Trays of nodes.
    Tray,
    /// Front lips of trays.
    TrayLip,
    /// A tray without power.
    TrayDown,
    /// An idle GPU.
    GpuIdle,
    /// A GPU without power.
    GpuDead,
    /// The NVSwitch of a node.
    NvSwitch,
    /// A replica's head.
    Head,
    /// The leader's head.
    HeadLeader,
    /// The head of a replica that crashed.
    HeadDown,
    /// The crown.
    Crown,
    /// The crown's inner side.
    CrownInner,
    /// The signal's mast, and the gantry.
    Mast,
    /// The signal's lantern box, and lamps that are out.
    Lantern,
    /// The short light on the lip of a node that is up.
    StatusLight,
    /// A switch port with traffic.
    PortLit,
    /// A switch port without traffic.
    PortDark,
    /// A message that is of no term and no account.
    Heartbeat,
    /// The lamp that says go.
    SignalGo,
    /// The lamp that says wait.
    SignalWait,
    /// Pips and grooves on coloured blocks.
    Pip,
    /// Faults.
    Bad,
    /// What is unknown.
    Warn,
    /// The curtain along a partition.
    CutWall,
    /// Rays where a message was lost.
    Burst,
    /// A drain cone.
    Cone,
    /// The band of a drain cone.
    ConeBand,
    /// The railing round a fenced node.
    Fence,
    /// The outline of what is selected.
    Selected,
    /// Edges of platforms.
    PlatformEdge,
    /// Tracks on the floor.
    Track,
    /// Cables from spine to leaf.
    Cable,
    /// A cable full of traffic.
    CableBusy,
    /// The way of a message.
    MessagePath,
    /// The committed line.
    Waterline,
    /// What is left of an election timeout.
    TimerRing,
    /// The whole of an election timeout.
    TimerRingBack,
    /// The ring about the leader.
    LeaderRing,
    /// A running GPU of an account, from 0.
    Account(u8),
    /// A job block of an account.
    Block(u8),
    /// The outline of what is kept free for a job of an account.
    Reserved(u8),
    /// What belongs to a term: slabs, beads, bands.
    Term(u8),
}

/// Hues that are neither of an account nor of a term.
const PLAIN: usize = 43;
/// Accounts with a colour of their own; later ones share them.
const ACCOUNTS: usize = 8;
/// Terms with a colour of their own; they repeat.
const TERMS: usize = 6;
/// Length of the table.
pub(crate) const HUES: usize = PLAIN + 3 * ACCOUNTS + TERMS;

impl Hue {
    /// The hue of a term.
    pub(crate) fn of_term(term: u64) -> Self {
        Self::Term((term % TERMS as u64) as u8)
    }

    /// Its place in the table.
    pub(crate) fn index(self) -> usize {
        let account = |account: u8| usize::from(account) % ACCOUNTS;
        match self {
            Self::Floor => 0,
            Self::Platform => 1,
            Self::RackPost => 2,
            Self::RackBack => 3,
            Self::RackPlinth => 4,
            Self::SwitchBox => 5,
            Self::Tray => 6,
            Self::TrayLip => 7,
            Self::TrayDown => 8,
            Self::GpuIdle => 9,
            Self::GpuDead => 10,
            Self::NvSwitch => 11,
            Self::Head => 12,
            Self::HeadLeader => 13,
            Self::HeadDown => 14,
            Self::Crown => 15,
            Self::CrownInner => 16,
            Self::Mast => 17,
            Self::Lantern => 18,
            Self::StatusLight => 19,
            Self::PortLit => 20,
            Self::PortDark => 21,
            Self::Heartbeat => 22,
            Self::SignalGo => 23,
            Self::SignalWait => 24,
            Self::Pip => 25,
            Self::Bad => 26,
            Self::Warn => 27,
            Self::CutWall => 28,
            Self::Burst => 29,
            Self::Cone => 30,
            Self::ConeBand => 31,
            Self::Fence => 32,
            Self::Selected => 33,
            Self::PlatformEdge => 34,
            Self::Track => 35,
            Self::Cable => 36,
            Self::CableBusy => 37,
            Self::MessagePath => 38,
            Self::Waterline => 39,
            Self::TimerRing => 40,
            Self::TimerRingBack => 41,
            Self::LeaderRing => 42,
            Self::Account(a) => PLAIN + account(a),
            Self::Block(a) => PLAIN + ACCOUNTS + account(a),
            Self::Reserved(a) => PLAIN + 2 * ACCOUNTS + account(a),
            Self::Term(t) => PLAIN + 3 * ACCOUNTS + usize::from(t) % TERMS,
        }
    }
}

/// A colour and how it takes light: `base x (lit x irradiance / pi + glow)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    /// The colour, sRGB.
    pub rgb: u32,
    /// Share that the light reaches.
    pub lit: f32,
    /// Share that shines by itself.
    pub glow: f32,
    /// Opacity of lines.
    pub alpha: f32,
}

impl Paint {
    const fn new(rgb: u32, lit: f32, glow: f32, alpha: f32) -> Self {
        Self { rgb, lit, glow, alpha }
    }

    /// The colour in linear light, with its opacity.
    pub(crate) fn linear(&self) -> Vec4 {
        let rgb = linear(self.rgb);
        rgb.extend(self.alpha)
    }
}

/// An sRGB colour in linear light.
pub(crate) fn linear(rgb: u32) -> Vec3 {
    let [_, r, g, b] = rgb.to_be_bytes();
    LinearRgba::from(Srgba::rgb_u8(r, g, b)).to_vec3()
}

/// The plain colour of a hue, sRGB, for what is drawn flat.
pub(crate) fn rgb(theme: Theme, hue: Hue) -> u32 {
    table(theme)[hue.index()].rgb
}

/// The table of a theme, by [`Hue::index`].
pub(crate) fn table(theme: Theme) -> [Paint; HUES] {
    let (plain, accounts, reserved, terms, [run, block, term]) = match theme {
        Theme::Dark => (&PLAIN_DARK, &ACCOUNT_DARK, &RESERVED_DARK, &TERM_DARK, PARTS_DARK),
        Theme::Light => (&PLAIN_LIGHT, &ACCOUNT_LIGHT, &RESERVED_LIGHT, &TERM_LIGHT, PARTS_LIGHT),
    };
    let mut table = [Paint::new(0xFF_00FF, 1.0, 0.0, 1.0); HUES];
    table[..PLAIN].copy_from_slice(plain);
    for i in 0..ACCOUNTS {
        table[PLAIN + i] = Paint::new(accounts[i], run.0, run.1, 1.0);
        table[PLAIN + ACCOUNTS + i] = Paint::new(accounts[i], block.0, block.1, 1.0);
        table[PLAIN + 2 * ACCOUNTS + i] = Paint::new(reserved[i], 0.0, 1.0, 1.0);
    }
    for i in 0..TERMS {
        table[PLAIN + 3 * ACCOUNTS + i] = Paint::new(terms[i], term.0, term.1, 1.0);
    }
    table
}

/// Lit and glowing share of running GPUs, job blocks and log slabs.
const PARTS_DARK: [(f32, f32); 3] = [(0.36, 0.7), (0.34, 0.7), (0.86, 0.2)];
const PARTS_LIGHT: [(f32, f32); 3] = [(0.58, 0.36), (0.62, 0.3), (0.92, 0.08)];

const ACCOUNT_DARK: [u32; 8] =
    [0x42_9CEC, 0x8A_DAEF, 0x2C_9079, 0x81_60DC, 0xE6_AA98, 0xC1_D66E, 0xCC_6A25, 0xE5_67AD];
const ACCOUNT_LIGHT: [u32; 8] =
    [0x45_63AE, 0x42_B6E4, 0x35_917D, 0xA2_62DB, 0xDB_A79A, 0x9D_BB4D, 0xD0_662C, 0x94_285A];
const RESERVED_DARK: [u32; 8] =
    [0xA1_D0FE, 0x55_DEFF, 0x62_E5C5, 0xCB_C1FE, 0xFE_B7A1, 0xC2_D675, 0xFE_B990, 0xFE_AFD6];
const RESERVED_LIGHT: [u32; 8] =
    [0x2D_488E, 0x06_556F, 0x07_5A4B, 0x5E_3880, 0x82_2E1A, 0x43_5505, 0x7E_3302, 0x7D_2B4F];
const TERM_DARK: [u32; 6] = [0x83_97CC, 0xF0_B8BE, 0x84_AB8B, 0x9A_DFE0, 0xA9_8ABB, 0xE8_D3A2];
const TERM_LIGHT: [u32; 6] = [0x6F_84BE, 0xE7_9AA4, 0x6E_9A76, 0x7C_C7CB, 0x96_73AC, 0xDD_BF7E];

#[rustfmt::skip]
const PLAIN_DARK: [Paint; PLAIN] = [
    Paint::new(0x22_2734, 1.0, 0.0, 1.0), // Floor
    Paint::new(0x1F_2530, 1.0, 0.0, 1.0), // Platform
    Paint::new(0x56_657F, 1.0, 0.0, 1.0), // RackPost
    Paint::new(0x22_2D3F, 1.0, 0.0, 1.0), // RackBack
    Paint::new(0x2A_3548, 1.0, 0.0, 1.0), // RackPlinth
    Paint::new(0x43_526D, 1.0, 0.0, 1.0), // SwitchBox
    Paint::new(0x2E_3A4E, 1.0, 0.0, 1.0), // Tray
    Paint::new(0x3C_4A61, 1.0, 0.0, 1.0), // TrayLip
    Paint::new(0x10_151D, 1.0, 0.0, 1.0), // TrayDown
    Paint::new(0x4A_5770, 1.0, 0.0, 1.0), // GpuIdle
    Paint::new(0x17_1D27, 1.0, 0.0, 1.0), // GpuDead
    Paint::new(0x85_93AB, 1.0, 0.0, 1.0), // NvSwitch
    Paint::new(0x5B_6880, 1.0, 0.05, 1.0), // Head
    Paint::new(0xE9_EEF6, 1.0, 0.12, 1.0), // HeadLeader
    Paint::new(0x33_3E50, 1.0, 0.0, 1.0), // HeadDown
    Paint::new(0xF4_C550, 0.6, 0.62, 1.0), // Crown
    Paint::new(0xDD_AE3E, 0.6, 0.4, 1.0), // CrownInner
    Paint::new(0x46_536A, 1.0, 0.0, 1.0), // Mast
    Paint::new(0x1A_2231, 1.0, 0.0, 1.0), // Lantern
    Paint::new(0xBF_E3D2, 0.0, 1.0, 1.0), // StatusLight
    Paint::new(0x9F_D0FF, 0.0, 1.0, 1.0), // PortLit
    Paint::new(0x23_2C3A, 1.0, 0.2, 1.0), // PortDark
    Paint::new(0xCF_E0F7, 0.3, 0.75, 1.0), // Heartbeat
    Paint::new(0x7F_E0B0, 0.0, 1.05, 1.0), // SignalGo
    Paint::new(0xF4_C550, 0.0, 1.05, 1.0), // SignalWait
    Paint::new(0x0B_111B, 1.0, 0.0, 1.0), // Pip
    Paint::new(0xFF_6A55, 0.2, 0.85, 1.0), // Bad
    Paint::new(0xFF_B65C, 0.2, 0.85, 1.0), // Warn
    Paint::new(0xFF_6A55, 0.0, 1.0, 1.0), // CutWall
    Paint::new(0xFF_D9CF, 0.0, 1.0, 1.0), // Burst
    Paint::new(0xFF_8A3D, 0.45, 0.6, 1.0), // Cone
    Paint::new(0xFF_F3E8, 0.45, 0.6, 1.0), // ConeBand
    Paint::new(0xDC_E5F2, 0.4, 0.55, 1.0), // Fence
    Paint::new(0xFF_FFFF, 0.0, 1.0, 1.0), // Selected
    Paint::new(0x46_546C, 0.0, 1.0, 1.0), // PlatformEdge
    Paint::new(0x6C_7E9C, 0.0, 1.0, 0.6), // Track
    Paint::new(0x55_657F, 0.0, 1.0, 0.9), // Cable
    Paint::new(0xA9_CDFF, 0.0, 1.0, 1.0), // CableBusy
    Paint::new(0x7C_8FB0, 0.0, 1.0, 0.55), // MessagePath
    Paint::new(0xFF_FFFF, 0.0, 1.0, 1.0), // Waterline
    Paint::new(0xDD_E6F3, 0.0, 1.0, 1.0), // TimerRing
    Paint::new(0x43_506A, 0.0, 1.0, 1.0), // TimerRingBack
    Paint::new(0xF4_C550, 0.0, 1.0, 1.0), // LeaderRing
];

#[rustfmt::skip]
const PLAIN_LIGHT: [Paint; PLAIN] = [
    Paint::new(0xEF_EEEA, 1.0, 0.0, 1.0), // Floor
    Paint::new(0xF6_F5F1, 1.0, 0.0, 1.0), // Platform
    Paint::new(0xFF_FFFF, 1.0, 0.0, 1.0), // RackPost
    Paint::new(0xF7_F6F2, 1.0, 0.0, 1.0), // RackBack
    Paint::new(0xDA_D8D1, 1.0, 0.0, 1.0), // RackPlinth
    Paint::new(0xC9_CBD0, 1.0, 0.0, 1.0), // SwitchBox
    Paint::new(0xFB_FAF7, 1.0, 0.0, 1.0), // Tray
    Paint::new(0xE5_E3DD, 1.0, 0.0, 1.0), // TrayLip
    Paint::new(0x8C_8B88, 1.0, 0.0, 1.0), // TrayDown
    Paint::new(0xCF_CDC6, 1.0, 0.0, 1.0), // GpuIdle
    Paint::new(0x6C_6C6B, 1.0, 0.0, 1.0), // GpuDead
    Paint::new(0x8E_96A3, 1.0, 0.0, 1.0), // NvSwitch
    Paint::new(0xB4_B8BF, 1.0, 0.02, 1.0), // Head
    Paint::new(0x30_384A, 1.0, 0.05, 1.0), // HeadLeader
    Paint::new(0x77_777A, 1.0, 0.0, 1.0), // HeadDown
    Paint::new(0xE0_A310, 0.8, 0.3, 1.0), // Crown
    Paint::new(0xC5_8C0C, 0.8, 0.2, 1.0), // CrownInner
    Paint::new(0xB9_B8B3, 1.0, 0.0, 1.0), // Mast
    Paint::new(0x3A_4048, 1.0, 0.0, 1.0), // Lantern
    Paint::new(0x2F_9E6E, 0.0, 1.0, 1.0), // StatusLight
    Paint::new(0x2E_6FD0, 0.0, 1.0, 1.0), // PortLit
    Paint::new(0xA9_ACB2, 1.0, 0.0, 1.0), // PortDark
    Paint::new(0x4A_5568, 0.6, 0.4, 1.0), // Heartbeat
    Paint::new(0x1F_9D66, 0.0, 1.0, 1.0), // SignalGo
    Paint::new(0xE0_A310, 0.0, 1.0, 1.0), // SignalWait
    Paint::new(0xFF_FFFF, 1.0, 0.3, 1.0), // Pip
    Paint::new(0xCF_3A24, 0.4, 0.65, 1.0), // Bad
    Paint::new(0xA8_5B00, 0.4, 0.65, 1.0), // Warn
    Paint::new(0xD8_402A, 0.0, 1.0, 1.0), // CutWall
    Paint::new(0xB8_260F, 0.0, 1.0, 1.0), // Burst
    Paint::new(0xF0_7A1D, 0.6, 0.4, 1.0), // Cone
    Paint::new(0xFF_FFFF, 0.7, 0.3, 1.0), // ConeBand
    Paint::new(0x3A_4452, 0.7, 0.3, 1.0), // Fence
    Paint::new(0x14_1B27, 0.0, 1.0, 1.0), // Selected
    Paint::new(0xC4_C1B8, 0.0, 1.0, 1.0), // PlatformEdge
    Paint::new(0xA2_9F95, 0.0, 1.0, 0.6), // Track
    Paint::new(0xA6_A59F, 0.0, 1.0, 0.9), // Cable
    Paint::new(0x2E_6FD0, 0.0, 1.0, 1.0), // CableBusy
    Paint::new(0x8A_8C90, 0.0, 1.0, 0.55), // MessagePath
    Paint::new(0x14_1B27, 0.0, 1.0, 1.0), // Waterline
    Paint::new(0x2A_3342, 0.0, 1.0, 1.0), // TimerRing
    Paint::new(0xBD_BAB1, 0.0, 1.0, 1.0), // TimerRingBack
    Paint::new(0xE0_A310, 0.0, 1.0, 1.0), // LeaderRing
];

/// What of a theme is neither paint nor line: light, fog, floor.
pub(crate) struct Ambience {
    /// Background of the canvas, and what the fog fades to; sRGB.
    pub background: u32,
    /// Colour and irradiance of the light from everywhere.
    pub ambient: (u32, f32),
    /// Colour and irradiance of the one directional light.
    pub key: (u32, f32),
    /// How much of the directional light a shadow takes away.
    pub shadow: f32,
    /// Begin and end of the fog, beyond the camera's distance from its target, in metres.
    pub fog: (f32, f32),
    /// Colour and opacity of the floor's grid.
    pub grid: (u32, f32),
    /// Pools of light on the floor.
    pub pools: &'static [Pool],
    /// Whether halos and pools add light (on dark) or cover (on light).
    pub adds_light: bool,
}

/// A soft ellipse of light on the floor.
pub(crate) struct Pool {
    /// Its middle (x, z).
    pub at: (f32, f32),
    /// Its radii.
    pub radius: (f32, f32),
    /// Its colour, sRGB.
    pub rgb: u32,
    /// Its strength in the middle.
    pub alpha: f32,
}

/// The ambience of a theme.
pub(crate) fn ambience(theme: Theme) -> Ambience {
    match theme {
        Theme::Dark => Ambience {
            background: 0x0A_0F18,
            ambient: (0xB4_C6E6, 2.1),
            key: (0xFF_F6EA, 2.3),
            shadow: 0.72,
            fog: (2.5, 15.0),
            grid: (0x3B_4A63, 0.22),
            pools: &[
                Pool { at: (0.0, -1.0), radius: (9.5, 6.2), rgb: 0x35_589A, alpha: 0.15 },
                Pool { at: (0.0, -2.6), radius: (6.4, 2.6), rgb: 0x4A_78C8, alpha: 0.1 },
                Pool { at: (0.0, 0.5), radius: (4.4, 2.2), rgb: 0x4A_6FB4, alpha: 0.12 },
                Pool { at: (-2.2, 2.9), radius: (4.4, 1.7), rgb: 0x3F_5F96, alpha: 0.13 },
            ],
            adds_light: true,
        },
        Theme::Light => Ambience {
            background: 0xE9_E8E4,
            ambient: (0xF2_F4FA, 1.75),
            key: (0xFF_F6E6, 1.75),
            shadow: 0.5,
            fog: (1.5, 24.0),
            grid: (0xB9_B6AC, 0.28),
            pools: &[Pool { at: (0.0, -1.2), radius: (9.0, 5.5), rgb: 0xFF_FFFF, alpha: 0.55 }],
            adds_light: false,
        },
    }
}
