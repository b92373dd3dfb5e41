//! The operator chooses another policy: it goes through the log, and counts once it is committed.
#![allow(clippy::unwrap_used)]

mod harness;

use harness::{assert_sound, job, pass, scenario, world};
use switchyard_model::{JobId, ReplicaId, SimTime};
use switchyard_scheduler::{Discipline, Policy, Preempt};
use switchyard_sim::{Command, Event, JobState, Scenario, ScenarioError, World};

fn start(scenario: &Scenario, jobs: Vec<switchyard_model::Job>) -> Result<World, ScenarioError> {
    World::new(scenario, scenario.fleet.clone().unwrap().build().unwrap(), jobs)
}

fn set(world: &mut World, policy: &str) {
    world.apply(Command::SetPolicy(policy.into())).unwrap();
}

fn running(world: &World) -> Vec<u64> {
    let running = world.book().jobs().iter().filter(|(_, record)| record.state == JobState::Running);
    running.map(|(job, _)| job.0).collect()
}

#[test]
fn another_policy_decides_once_it_is_committed() {
    // The first takes three of four nodes, the second waits for all of them, the third would fit beside the first.
    let jobs = vec![job(1, 10, 600, 600, 3), job(2, 20, 60, 60, 4), job(3, 30, 60, 60, 1)];
    let mut setup = scenario(1, 5, 4);
    setup.policy = "fcfs".into();
    let mut world = start(&setup, jobs).unwrap();
    pass(&mut world, 100);
    assert_eq!(running(&world), [1]);
    set(&mut world, "easy-machine");
    assert_eq!((&*world.setting().policy, &*world.asked_setting().policy), ("fcfs", "easy-machine"));
    pass(&mut world, 1);
    assert_eq!((&*world.setting().policy, world.setting().backfill), ("easy-machine", true));
    assert_eq!(running(&world), [1, 3], "a pass follows at once");
    let told = world.events().iter().any(|record| record.event == Event::PolicySet("easy-machine".into()));
    assert!(told);
    assert_sound(&world);
}

#[test]
fn without_a_leader_a_policy_is_a_wish_and_the_next_leader_follows_it() {
    let mut world = world(2, 5, 4, Vec::new());
    pass(&mut world, 30);
    let leader = world.leader().unwrap().0.id();
    world.apply(Command::CrashReplica(leader)).unwrap();
    set(&mut world, "fcfs");
    assert_eq!((&*world.setting().policy, &*world.asked_setting().policy), ("easy-machine", "fcfs"));
    pass(&mut world, 30);
    assert_eq!(*world.setting(), world.asked_setting());
    let policy_of = |world: &World| {
        let (leader, _) = world.leader().unwrap();
        leader.lead().unwrap().policy().clone()
    };
    assert_eq!(policy_of(&world), Policy::named("fcfs").unwrap());
    let second = world.leader().unwrap().0.id();
    world.apply(Command::RestartReplica(leader)).unwrap();
    world.apply(Command::CrashReplica(second)).unwrap();
    pass(&mut world, 30);
    assert_eq!(policy_of(&world), Policy::named("fcfs").unwrap(), "it stands in the book");
}

#[test]
fn the_switch_is_about_the_policy_that_was_chosen() {
    let mut world = world(3, 3, 2, Vec::new());
    pass(&mut world, 30);
    let mut after = |command| {
        world.apply(command).unwrap();
        pass(&mut world, 1);
        world.policy().name
    };
    assert_eq!(&*after(Command::SetPolicy("easy".into())), "easy");
    assert_eq!(&*after(Command::SetBackfill(false)), "fcfs");
    assert_eq!(&*after(Command::SetBackfill(true)), "easy");
    assert_eq!(&*after(Command::SetPolicy("seed-lab-v01-off".into())), "seed-lab-v01-off");
    assert_eq!(&*after(Command::SetBackfill(true)), "seed-lab-v01");
}

#[test]
fn a_scenario_brings_policies_of_its_own_and_sets_them_by_name() {
    let text = r#"{
        "version": 1, "name": "own", "seed": 1, "workload": {"generate": {"name": "yard", "jobs": 20, "seed": 1}},
        "policy": "shortest-first",
        "policies": [{"name": "shortest-first", "order": "shortest", "discipline": "easy_machine"}],
        "interventions": [{"at": 60000000, "do": {"set_policy": "fcfs"}}, {"at": 120000000, "do": {"set_policy": "shortest-first"}}]
    }"#;
    let scenario = Scenario::from_json(text).unwrap();
    let (mut world, _) = World::from_scenario(&scenario, None).unwrap();
    assert_eq!(world.policy().name, "shortest-first".into());
    pass(&mut world, 90);
    assert_eq!(world.policy().name, "fcfs".into());
    pass(&mut world, 90);
    assert_eq!(world.policy(), scenario.policies[0]);
    assert_eq!(world.interventions().len(), 2);
}

#[test]
fn policies_that_can_not_be_are_refused_in_a_sentence() {
    let mut running = world(4, 3, 2, Vec::new());
    let said = running.apply(Command::SetPolicy("eazy".into())).unwrap_err().to_string();
    assert!(
        said.starts_with("There is no policy \"eazy\"; choose one of fcfs, sjf, ") && said.ends_with('.')
    );
    let refused = |scenario: &Scenario| start(scenario, Vec::new()).unwrap_err().to_string();
    let mut setup = scenario(4, 3, 2);
    let mut pushy = Policy::named("easy").unwrap();
    (pushy.name, pushy.preempt) = ("pushy".into(), Some(Preempt::default()));
    setup.policies = vec![pushy];
    let said = refused(&setup);
    assert!(said.starts_with("scenario: the policy \"pushy\" lets jobs push others out (preempt)"), "{said}");
    setup.policies.clear();
    let command = Command::SetPolicy("pushy".into());
    setup.interventions = vec![switchyard_sim::Intervention { at: SimTime::from_secs(5), command }];
    let said = refused(&setup);
    assert!(
        said.starts_with("scenario: the intervention at 00:00:05: There is no policy \"pushy\""),
        "{said}"
    );
}

#[test]
fn an_order_by_use_knows_what_was_used_before_it_was_chosen() {
    // Two accounts; the first has run for an hour before use counts for anything.
    let of = |id, submit, account: &str| {
        let mut job = job(id, submit, 3_600, 3_600, 2);
        std::sync::Arc::get_mut(&mut job.spec).unwrap().account = account.into();
        job
    };
    let jobs =
        vec![of(1, 10, "research"), of(2, 3_700, "infra"), of(3, 3_710, "research"), of(4, 3_720, "trading")];
    let mut setup = scenario(5, 3, 2);
    setup.policy = "fcfs".into();
    let mut world = start(&setup, jobs).unwrap();
    pass(&mut world, 3_800);
    assert_eq!(running(&world), [2]);
    set(&mut world, "seed-lab-v01-off");
    pass(&mut world, 7_310 - 3_800);
    assert_eq!(running(&world), [4], "who has used nothing goes before who came first");
    assert_eq!(world.policy().discipline, Discipline::Strict);
    assert!(world.book().job(JobId(3)).unwrap().attempt == 0);
    world.apply(Command::CrashReplica(ReplicaId(0))).unwrap();
    pass(&mut world, 20_000);
    assert!(world.is_done());
    assert_sound(&world);
}
