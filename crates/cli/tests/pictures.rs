//! `replay --curves`, `replay --gantt` and `compare --html`: what is drawn, and in which form.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::{scratch, switchyard};

const REPLAY: [&str; 5] = ["replay", "--generate", "seed-lab:300:5", "--policy", "seed-lab-easy"];

fn drawn(option: &str, name: &str) -> Vec<u8> {
    let path = scratch(name);
    let _ = std::fs::remove_file(&path);
    let said = switchyard(&[&REPLAY[..], &[option, path.to_str().unwrap()]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    std::fs::read(path).unwrap()
}

/// Every attempt is a box, and every node has its name.
#[test]
fn the_gantt_shows_every_job_and_node() {
    let svg = String::from_utf8(drawn("--gantt", "gantt.svg")).unwrap();
    let filled = svg.matches("<rect ").count() - svg.matches("fill=\"none\"").count();
    assert!(filled > 300, "{filled}");
    for node in ["n01", "n16"] {
        assert!(svg.contains(node), "{node}");
    }
    assert!(svg.contains("seed-lab:300:5 on 16 nodes, 128 CPUs, 32 GPUs, seed-lab-easy"));
}

#[test]
fn curves_have_a_panel_for_each_resource() {
    let svg = String::from_utf8(drawn("--curves", "curves.svg")).unwrap();
    for caption in ["jobs that wait", "jobs that run", "CPUs in use", "GPUs in use"] {
        assert!(svg.contains(caption), "{caption}");
    }
    assert_eq!(svg.matches("stroke-width=\"2\"").count(), 4);
}

#[test]
fn the_ending_decides_about_the_form() {
    for option in ["--curves", "--gantt"] {
        let png = drawn(option, &format!("picture{option}.png"));
        assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
        let width = u32::from_be_bytes(png[16..20].try_into().unwrap());
        assert_eq!((width, png.ends_with(b"IEND\xaeB`\x82")), (1200, true));
    }
    let nowhere = scratch("no such folder").join("picture.png");
    let said = switchyard(&[&REPLAY[..], &["--gantt", nowhere.to_str().unwrap()]].concat());
    assert_eq!((said.code, &*said.out), (4, ""), "{}", said.err);
    assert!(said.err.contains("can't write "));
}

#[test]
fn a_report_stands_alone_and_says_what_it_shows() {
    let path = scratch("report.html");
    let args = [
        "compare",
        "--generate",
        "seed-lab:300:0",
        "--seeds",
        "0..9",
        "--policies",
        "seed-lab-off,seed-lab-easy,seed-lab-easy+order=fifo",
        "--html",
        path.to_str().unwrap(),
    ];
    let said = switchyard(&args);
    assert_eq!(said.code, 0, "{}", said.err);
    let page = std::fs::read_to_string(&path).unwrap();
    for foreign in ["http://", "https://", "<script", "<link", "url(", "@import"] {
        let found = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!found.contains(foreign), "{foreign}");
    }
    for text in [
        "<strong>seed-lab-easy</strong> against seed-lab-off: mean wait <span class=\"good\">74 % lower</span> (better in 10 of 10)",
        "395.0",
        "84.84",
        "10/0/0",
        "prefers-color-scheme: dark",
        "Jobs that wait",
        "CPUs in use, means of ",
        "GPUs in use",
        "percentile bootstrap",
        "switchyard compare --generate seed-lab:300:0 --seeds 0..9",
        "&quot;half_life&quot;",
    ] {
        assert!(page.contains(text), "{text}");
    }
    // One curve for each policy in each of three charts, in colours that follow the reader's mode.
    for curve in 0..3 {
        assert_eq!(page.matches(&format!("stroke=\"var(--c{curve})\"")).count(), 3, "{curve}");
    }
    assert!(!page.contains("anecdote") && !page.contains("class=\"caution\""));
    let one = scratch("report_one.html");
    let said = switchyard(&[
        "compare",
        "--generate",
        "yard:50:1",
        "--policies",
        "fcfs,easy",
        "--html",
        one.to_str().unwrap(),
    ]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(std::fs::read_to_string(one).unwrap().contains("<p class=\"caution\">One seed is an anecdote"));
}

#[test]
fn the_same_command_writes_the_same_report() {
    let path = scratch("report_same.html");
    let args = [
        "compare",
        "--generate",
        "yard:80:1",
        "--seeds",
        "0..4",
        "--policies",
        "fcfs,easy",
        "--html",
        path.to_str().unwrap(),
    ];
    let mut pages = (0..2).map(|_| {
        assert_eq!(switchyard(&args).code, 0);
        std::fs::read_to_string(&path).unwrap()
    });
    assert_eq!(pages.next(), pages.next());
}
