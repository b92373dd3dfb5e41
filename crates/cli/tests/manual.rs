//! Help, completions and the manual: everything can be found from the command itself.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use std::process::Command;

use common::{scratch, switchyard};

const COMMANDS: [&str; 13] = [
    "replay",
    "explain",
    "compare",
    "sweep",
    "merge",
    "policies",
    "run",
    "inspect",
    "convert",
    "generate",
    "pods",
    "completions",
    "man",
];

#[test]
fn every_command_has_help_with_exit_codes_and_all_but_two_have_examples() {
    let all = switchyard(&["--help"]).out;
    for command in COMMANDS {
        assert!(all.contains(&format!("  {command} ")), "{command}: {all}");
        let help = switchyard(&[command, "--help"]).out;
        assert!(help.contains("Exit codes:"), "{command}");
        let plain = matches!(command, "policies" | "run");
        assert!(plain || help.contains("Example"), "{command}");
    }
}

/// The examples in the help run as they are, as far as they need no file of the reader's own.
#[test]
fn examples_work_as_they_are() {
    let mut tried = 0;
    for command in ["replay", "explain", "compare", "sweep"] {
        let help = switchyard(&[command, "--help"]).out;
        let examples = help.lines().map(str::trim).filter(|line| line.starts_with("switchyard "));
        let alone = |line: &&str| {
            line.contains("--generate ") && !line.contains(['>', '<']) && !line.contains("--html")
        };
        for example in examples.filter(alone) {
            let words: Vec<&str> = example.split_whitespace().skip(1).collect();
            // Results go where a test may write.
            let words: Vec<&str> = match words.iter().position(|word| *word == "-o") {
                Some(at) => [&words[..at], &words[at + 2..]].concat(),
                None => words,
            };
            let said = switchyard(&words);
            assert_eq!(said.code, 0, "{example}: {}", said.err);
            tried += 1;
        }
    }
    assert!(tried >= 9, "{tried}");
}

#[test]
fn shells_get_their_scripts() {
    for (shell, mark) in [
        ("bash", "complete -F _switchyard"),
        ("zsh", "#compdef switchyard"),
        ("fish", "complete -c switchyard"),
    ] {
        let said = switchyard(&["completions", shell]);
        assert_eq!((said.code, &*said.err), (0, ""));
        assert!(said.out.contains(mark) && said.out.contains("compare"), "{shell}");
    }
    let script = scratch("switchyard.bash");
    std::fs::write(&script, switchyard(&["completions", "bash"]).out).unwrap();
    let asks = "source \"$0\"; COMP_WORDS=(switchyard comp); COMP_CWORD=1; _switchyard switchyard comp switchyard; echo \"${COMPREPLY[*]}\"";
    let output = Command::new("bash").args(["-c", asks]).arg(&script).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "compare completions");
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let folder = scratch("man pages");
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(switchyard(&["man", folder.to_str().unwrap()]).code, 0);
    let page = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(page("switchyard.1").starts_with(".ie"), "{}", page("switchyard.1"));
    for command in COMMANDS {
        assert!(page(&format!("switchyard-{command}.1")).contains("Exit codes:"), "{command}");
    }
}
