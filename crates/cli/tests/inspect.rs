//! `switchyard inspect`: every file of the shared traces, with the counts that are known of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{figures, file, shared, switchyard, switchyard_with};
use serde_json::{Value, json};

/// What `inspect --json` says of a shared trace.
fn inspected(name: &str) -> Option<Value> {
    Some(figures(&["inspect", &shared(name)?]))
}

fn count(page: &Value, tally: &str, kind: &str) -> u64 {
    page[tally][kind]["count"].as_u64().unwrap_or(0)
}

#[test]
fn kth() {
    let Some(page) = inspected("KTH-SP2-1996-2.1-cln.swf") else { return };
    assert_eq!((&page["kind"], &page["format"]), (&json!("jobs"), &json!("swf")));
    assert_eq!((&page["rows"], &page["jobs"]), (&json!(28_476), &json!(28_476)));
    let profile = &page["profile"];
    assert_eq!((&profile["over_limit"], &profile["over_limit_by_a_minute"]), (&json!(475), &json!(64)));
    assert_eq!(profile["zero_runtime"], 8);
    assert_eq!((&profile["processors"], &profile["processors_declared"]), (&json!(100), &json!(true)));
    assert_eq!(page["first_submit_s"], 599_850.0);
    assert_eq!(page["changed"]["processors_unknown"], json!({ "count": 1, "first_line": 27_323 })); // job 27313
    assert_eq!(count(&page, "changed", "allocation_differs"), 219);
    assert_eq!(format!("{:.0}", profile["wait_s"]["mean"].as_f64().unwrap()), "15296");
    assert_eq!(format!("{:.1}", profile["recorded_bounded_slowdown"].as_f64().unwrap()), "193.4");
    // The list says 0.701, of the processors that were given; these are those that were asked for.
    assert_eq!(format!("{:.3}", profile["recorded_utilisation"].as_f64().unwrap()), "0.699");
}

#[test]
fn other_logs_of_the_archive() {
    let Some(nasa) = inspected("NASA-iPSC-1993-3.1-cln.swf") else { return };
    assert_eq!((&nasa["rows"], &nasa["rows_promised"]), (&json!(18_239), &json!(42_264)));
    assert_eq!(
        (&nasa["profile"]["zero_runtime"], &nasa["profile"]["without_limit"]),
        (&json!(173), &json!(18_239))
    );
    assert_eq!(nasa["profile"]["limit_s"], Value::Null);
    let curie = inspected("CEA-Curie-sample.swf").unwrap();
    assert_eq!((&curie["rows"], count(&curie, "changed", "allocation_differs")), (&json!(29_998), 3_751));
    assert_eq!(
        (&curie["profile"]["statuses"]["cancelled"], &curie["profile"]["processors"]),
        (&json!(295), &json!(93_312))
    );
    let lublin = inspected("lublin_256.swf").unwrap();
    assert_eq!((&lublin["rows"], &lublin["profile"]["processors"]), (&json!(10_000), &json!(256)));
}

#[test]
fn phillips() {
    let Some(page) = inspected("sacct_xdmod_phillips.txt") else { return };
    assert_eq!(
        (&page["format"], &page["rows"], &page["jobs"]),
        (&json!("sacct"), &json!(4_285), &json!(4_046))
    );
    assert_eq!(count(&page, "quirks", "leaked_memory_flag"), 4_238);
    assert_eq!(count(&page, "quirks", "cancelled_by"), 243);
    assert_eq!(count(&page, "quirks", "no_nodes_assigned"), 239);
    assert_eq!(page["profile"]["gpus"]["count"], 2);
    assert_eq!(page["profile"]["gpus"]["max"], 2.0);
}

#[test]
fn small_dumps() {
    let rows = |name: &str| Some(inspected(&format!("sacct_small/{name}"))?["rows"].as_u64().unwrap());
    for (name, expected) in [
        ("xdmod_accounting-logs.txt", 4),
        ("xdmod_accounting-logs-with-job-arrays.txt", 6),
        ("xdmod_utf8-multibyte-chars.txt", 1),
        ("sst_sacct_simple.log", 4),
        ("sst_sacct_submitline_multiline.log", 13),
        ("sst_sacct_dump2110.log", 7),
        ("slurm2sql_test-data1.txt", 5),
        ("slurm2sql_test-data2.txt", 5),
        ("sst_jobs500.csv", 500),
    ] {
        let Some(rows) = rows(name) else { return };
        assert_eq!(rows, expected, "{name}");
    }
}

#[test]
fn pods_nodes_and_gpu_traces() {
    let Some(nodes) = inspected("openb_node_list_gpu_node.csv") else { return };
    let expected =
        json!({ "nodes": 1_213, "gpus": 6_212, "cpu_milli": 107_018_000, "memory_mib": 503_828_480 });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&nodes[key], value, "{key}");
    }
    let pods = inspected("openb_pod_list_default.csv").unwrap();
    assert_eq!((&pods["pods"], &pods["gpu_milli"]), (&json!(8_152), &json!(6_086_800)));
    assert_eq!((&pods["part_of_a_gpu"], &pods["without_gpu"]), (&json!(3_078), &json!(1_088)));
    assert_eq!(count(&pods, "remarks", "never_scheduled"), 897);
    assert_eq!(inspected("openb_pod_list_gpuspec33.csv").unwrap()["with_gpu_models"], 2_388);
    let philly = shared("philly_sia_head60000.csv").unwrap();
    let columns = "submit=timestamp,runtime=duration,gpus=num_gpus,account=cluster";
    let page = figures(&["inspect", &philly, "--columns", columns]);
    assert_eq!((&page["rows"], &page["profile"]["accounts"]["count"]), (&json!(59_999), &json!(15)));
    let k8s = inspected("golden/k8s_default_seed0_800.csv").unwrap();
    assert_eq!(format!("{:.4}", k8s["profile"]["gpu_hours"].as_f64().unwrap()), "1404.7366");
    let batsim = inspected("golden/batsim_medium_late_workload.json").unwrap();
    assert_eq!((&batsim["jobs"], &batsim["profile"]["processors"]), (&json!(801), &json!(32)));
}

/// Each file is described or refused with a sentence; nothing else.
#[test]
fn every_file_of_the_collection_gets_an_answer() {
    let Some(folder) = shared("") else { return };
    for part in ["", "golden", "sacct_small", "workloads_batsim"] {
        for entry in std::fs::read_dir(format!("{folder}/{part}")).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                continue;
            }
            let said = switchyard(&["inspect", path.to_str().unwrap(), "--json"]);
            let described =
                said.code == 0 && said.err.is_empty() && serde_json::from_str::<Value>(&said.out).is_ok();
            let refused = said.code == 3 && said.out.is_empty() && said.err.starts_with("error: ");
            assert!(described || refused, "{}: {} {}", path.display(), said.code, said.err);
        }
    }
}

#[test]
fn a_configuration_and_fleets() {
    let conf = file(
        "inspect_slurm.conf",
        "ClusterName=tiny\nSchedulerType=sched/backfill\nNodeName=n[1-4] CPUs=8 RealMemory=1000 Gres=gpu:a100:2\n\
         PartitionName=gpu Nodes=n[1-2] Default=YES\nLicenses=matlab:3\nPriorityWeightAge=1000\n",
    );
    let page = figures(&["inspect", &conf]);
    assert_eq!(
        (&page["kind"], &page["fleet"]["nodes"], &page["fleet"]["gpus"]),
        (&json!("slurm_conf"), &json!(4), &json!(8))
    );
    assert_eq!(page["partitions"], json!([{ "name": "gpu", "nodes": 2 }]));
    assert_eq!(
        (&page["licences"]["matlab"], &page["settings"]["PriorityWeightAge"]),
        (&json!(3), &json!("1000"))
    );
    let said = switchyard(&["inspect", &conf]);
    assert!(
        said.out.contains("partition gpu: 2 nodes") && said.out.contains("licence matlab: 3"),
        "{}",
        said.out
    );

    let yaml = "name: two\ntopology: {racksPerSwitch: 2}\nnodeClasses:\n- {name: dgx8, count: 2, gpus: 8, cpus: 96}\n";
    let fleet = figures(&["inspect", &file("inspect_fleet.yaml", yaml)]);
    assert_eq!(
        (&fleet["kind"], &fleet["fleet"]["gpus"], &fleet["fleet"]["cpus"]),
        (&json!("fleet"), &json!(16), &json!(192))
    );
    let replay = ["replay", "--generate", "yard:20:1", "--policy", "easy", "--fleet"];
    let ran = figures(&[&replay[..], &[&file("inspect_fleet.yaml", yaml)]].concat());
    assert_eq!((&ran["nodes"], &ran["gpus"]), (&json!(2), &json!(16)));
    let wrong = switchyard(&["inspect", &file("inspect_wrong.yaml", &yaml.replace("gpus", "gpu"))]);
    assert_eq!(wrong.code, 3);
    assert!(wrong.err.starts_with("error: inspect_wrong.yaml, line 4, column "), "{}", wrong.err);
}

#[test]
fn for_people_it_is_a_page() {
    let said = switchyard_with(
        &["inspect", "-"],
        "; MaxProcs: 4\n1 100 20 50 4 -1 -1 4 60 -1 1 7 3 -1 -1 -1 -1 -1\n2 200 0 50 1 -1 -1 1 25 -1 0 7 3 -1 -1 -1 -1 -1\n",
    );
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    for line in [
        "standard input: jobs, Standard Workload Format",
        "processors            4 (declared by the trace)",
        "offered load          62.5 % of the processors while jobs arrive",
        "over their limit      1, by more than a minute 0",
        "ended                 completed 1, failed 1",
        "users                 1: u7 100.0 % (2)",
        "Read 2 jobs from 2 rows (Standard Workload Format).",
    ] {
        assert!(said.out.lines().any(|known| known.trim_end() == line), "{line}\n{}", said.out);
    }
}

#[test]
fn what_is_unknown_is_refused() {
    let said = switchyard_with(&["inspect", "-"], "Dear reader,\nhello\n");
    assert_eq!((said.code, said.out.as_str()), (3, ""));
    assert!(said.err.starts_with("error: standard input, line 1: this is neither"), "{}", said.err);
}
