//! Three replicas in one process: they elect a leader, agree on three commands, and go on after the leader is gone.
//!
//! The network is a queue that loses nothing, and a write is durable at once. Run it with
//! `cargo run -p switchyard-raft --example three_nodes`.
#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, VecDeque};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use switchyard_raft::{Config, Message, PeerId, RawNode, Restored, Role};

type Nodes = BTreeMap<PeerId, RawNode<ChaCha8Rng>>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut nodes = Nodes::new();
    for id in 1..=3 {
        let config = Config {
            id,
            voters: vec![1, 2, 3],
            election_ticks: 10,
            heartbeat_ticks: 2,
            max_entries_per_message: 64,
            max_inflight: 16,
            pre_vote: true,
            check_quorum: true,
        };
        nodes.insert(id, RawNode::new(config, Restored::default(), ChaCha8Rng::seed_from_u64(id))?);
    }

    let first = wait_for_leader(&mut nodes)?;
    for command in ["reserve gpu 0", "reserve gpu 1", "release gpu 0"] {
        if let Some(leader) = nodes.get_mut(&first) {
            leader.propose(command.as_bytes().into())?;
        }
    }
    run(&mut nodes, 5)?;

    println!("replica {first} crashes");
    nodes.remove(&first);
    let second = wait_for_leader(&mut nodes)?;
    if let Some(leader) = nodes.get_mut(&second) {
        leader.propose(b"reserve gpu 2".as_slice().into())?;
    }
    run(&mut nodes, 5)?;
    Ok(())
}

/// Lets time pass until somebody leads.
fn wait_for_leader(nodes: &mut Nodes) -> Result<PeerId, Box<dyn std::error::Error>> {
    loop {
        run(nodes, 1)?;
        if let Some((&id, node)) = nodes.iter().find(|(_, node)| node.role() == Role::Leader) {
            println!("replica {id} leads term {}", node.term());
            return Ok(id);
        }
    }
}

/// Ticks, and delivers all messages after each tick.
fn run(nodes: &mut Nodes, ticks: u32) -> Result<(), Box<dyn std::error::Error>> {
    for _ in 0..ticks {
        let mut wire = VecDeque::new();
        for node in nodes.values_mut() {
            node.tick();
            carry_out(node, &mut wire);
        }
        while let Some(message) = wire.pop_front() {
            if let Some(node) = nodes.get_mut(&message.to) {
                node.step(message)?;
                carry_out(node, &mut wire);
            }
        }
    }
    Ok(())
}

/// The driver's duties: send, write, acknowledge, apply.
fn carry_out(node: &mut RawNode<ChaCha8Rng>, wire: &mut VecDeque<Message>) {
    while node.has_ready() {
        let ready = node.ready();
        wire.extend(ready.messages);
        if let Some(persist) = ready.persist {
            // A real driver writes hard state and entries here and waits until they are durable.
            wire.extend(persist.messages);
            node.on_persisted(persist.mark);
        }
        for entry in ready.committed {
            let command = String::from_utf8_lossy(&entry.data);
            println!("replica {} applies {}: {command:?} (term {})", node.id(), entry.index, entry.term);
        }
    }
}
