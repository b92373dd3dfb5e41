//! What a visitor may wish for: a closed list that keys, buttons, menus, tests and the host page all send.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use switchyard_sim::Endpoint;

use crate::events::EventFilter;
use crate::stage::Thing;

/// A wish, in the visitor's terms. As JSON: `"kill_leader"`, `{"set_speed": 60.0}`, `{"kill": {"node": 5}}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Let time pass, or stop it.
    PlayPause,
    /// Let time pass.
    Play,
    /// Stop time.
    Pause,
    /// Stop time and go to the next event.
    StepEvent,
    /// Stop time and go to the next scheduling pass.
    StepPass,
    /// Simulated seconds per second.
    SetSpeed(f64),
    /// One step up the speeds.
    Faster,
    /// One step down the speeds.
    Slower,
    /// The replica that leads dies.
    KillLeader,
    /// A replica, a node or all nodes of a rack lose power.
    Kill(Thing),
    /// A replica, a node or all nodes of a rack come back.
    Restart(Thing),
    /// What is selected loses power, or comes back if it has none.
    KillOrRestartSelected,
    /// The network splits: these on one side, all others on the other.
    Partition(Vec<Endpoint>),
    /// What is selected is cut off; without a selection, the leader with a minority and the first rack.
    CutSelected,
    /// All cuts are mended.
    Heal,
    /// Backfill goes on or off.
    ToggleBackfill,
    /// Schedule by the policy of this name.
    SetPolicy(Arc<str>),
    /// The policies to choose from appear, or go away.
    ShowPolicies(bool),
    /// Look at this, or at nothing.
    Select(Option<Thing>),
    /// The browser asks for a trace file.
    OpenFilePicker,
    /// A new run with the trace that was read.
    RunImported {
        /// On which machines.
        fleet: FleetChoice,
    },
    /// Put the import report away.
    CloseImport,
    /// The first screen's scenario from the start, with this seed.
    NewRun {
        /// The seed of all chance.
        seed: u64,
    },
    /// The camera shows the whole yard.
    Home,
    /// The camera shows what is selected.
    Frame,
    /// The list of keys appears or goes away.
    ToggleHelp,
    /// Dark or light.
    ToggleTheme,
    /// A tab of the dock.
    OpenTab(Tab),
    /// Which events the tab of events shows.
    FilterEvents(EventFilter),
    /// The dock folds away or comes back.
    ToggleDock,
    /// Whatever is on top goes away: help, import report, selection.
    Dismiss,
}

/// The machines for an imported trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FleetChoice {
    /// The machine that the trace tells of.
    Derived,
    /// The yard of the first screen; the requests are scaled to it.
    Yard,
}

/// A tab of the dock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tab {
    /// What is selected; on narrow pages only, where there is no room beside the scene.
    Selected,
    /// Figures over time.
    #[default]
    Charts,
    /// Who waits, and why.
    Queue,
    /// The logs of the replicas.
    Raft,
    /// What happened.
    Events,
    /// The rules that must hold.
    Invariants,
}

impl Tab {
    /// Its name on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Tab::Selected => "Selected",
            Tab::Charts => "Charts",
            Tab::Queue => "Queue",
            Tab::Raft => "Raft",
            Tab::Events => "Events",
            Tab::Invariants => "Invariants",
        }
    }

    /// The tabs of a wide page, in their order.
    pub const WIDE: [Tab; 5] = [Tab::Charts, Tab::Queue, Tab::Raft, Tab::Events, Tab::Invariants];

    /// The tabs of a narrow page, in their order.
    pub const NARROW: [Tab; 6] =
        [Tab::Selected, Tab::Charts, Tab::Queue, Tab::Raft, Tab::Events, Tab::Invariants];
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use switchyard_model::{NodeId, ReplicaId};

    #[test]
    fn intents_are_written_as_the_host_page_and_the_tests_write_them() {
        let written = |intent: &Intent| serde_json::to_string(intent).unwrap();
        assert_eq!(written(&Intent::KillLeader), r#""kill_leader""#);
        assert_eq!(written(&Intent::SetSpeed(0.5)), r#"{"set_speed":0.5}"#);
        assert_eq!(written(&Intent::Kill(Thing::Node(NodeId(5)))), r#"{"kill":{"node":5}}"#);
        assert_eq!(written(&Intent::Select(None)), r#"{"select":null}"#);
        let side = Intent::Partition(vec![Endpoint::Replica(ReplicaId(0)), Endpoint::Login]);
        assert_eq!(written(&side), r#"{"partition":[{"replica":0},"login"]}"#);
        let run = Intent::RunImported { fleet: FleetChoice::Yard };
        assert_eq!(written(&run), r#"{"run_imported":{"fleet":"yard"}}"#);
        assert_eq!(written(&Intent::SetPolicy("fcfs".into())), r#"{"set_policy":"fcfs"}"#);
        let read: Intent = serde_json::from_str(r#"{"open_tab":"raft"}"#).unwrap();
        assert_eq!(read, Intent::OpenTab(Tab::Raft));
    }
}
