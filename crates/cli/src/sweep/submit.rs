//! What runs a sweep on a cluster: a job-array script for Slurm, or the manifest of an Indexed Job for Kubernetes.

use std::path::{Path, PathBuf};

use super::plan::Plan;
use crate::args_experiment::{Submit, SweepArgs};
use crate::experiment::error::ExperimentError;
use crate::failure::Failure;

/// More parts than this are asked for by name only.
const SHARDS_USUAL: usize = 16;
/// Options of `sweep` that each part has its own of, or none.
const OWN: [&str; 7] = ["--submit", "--shards", "--image", "--claim", "--output", "--jobs", "--shard"];
/// Their short forms.
const OWN_SHORT: [&str; 2] = ["-o", "-j"];

/// Refuses what can't work elsewhere.
pub(crate) fn check(args: &SweepArgs) -> Result<(), Failure> {
    if files(args).any(|file| file.as_os_str() == "-") {
        return Err(ExperimentError::StandardInput.into());
    }
    let spread = &args.spread;
    match spread.submit {
        Some(Submit::Slurm) if spread.image.is_some() => {
            Err(ExperimentError::NotInSlurm { option: "--image" }.into())
        }
        Some(Submit::Slurm) if spread.claim.is_some() => {
            Err(ExperimentError::NotInSlurm { option: "--claim" }.into())
        }
        Some(Submit::K8s) if spread.claim.is_none() => match files(args).next() {
            Some(file) => Err(ExperimentError::NoClaim { file: file.display().to_string() }.into()),
            None => Ok(()),
        },
        Some(Submit::K8s) => match files(args).find(|file| file.is_absolute()) {
            Some(file) => Err(ExperimentError::NotOnClaim { file: file.display().to_string() }.into()),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// The files that the runs read.
fn files(args: &SweepArgs) -> impl Iterator<Item = &PathBuf> {
    let machine = &args.machine;
    // A fleet may be a name.
    let fleet = machine.fleet.as_ref().filter(|fleet| fleet.exists() || fleet.as_os_str() == "-");
    [args.input.trace.as_ref(), machine.slurm_conf.as_ref(), machine.site.as_ref(), fleet]
        .into_iter()
        .flatten()
}

pub(crate) fn page(args: &SweepArgs, submit: Submit, plan: &Plan<'_>) -> String {
    let shards = args.spread.shards.map_or_else(|| plan.runs().clamp(1, SHARDS_USUAL), |n| n as usize);
    let output = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    let output = output.unwrap_or(Path::new("results.csv"));
    let command = own_arguments(std::env::args().skip(1));
    let parts = Parts { command, shards, output: output.display().to_string(), stem: stem(output) };
    match submit {
        Submit::Slurm => slurm(&parts),
        Submit::K8s => k8s(&parts, args, plan),
    }
}

/// What both need.
struct Parts {
    /// `sweep` and its options, for a shell.
    command: String,
    shards: usize,
    output: String,
    /// The output without its ending.
    stem: String,
}

fn stem(output: &Path) -> String {
    output.with_extension("").display().to_string()
}

/// The arguments of this call, without those that each part has its own of, for a shell.
fn own_arguments(arguments: impl Iterator<Item = String>) -> String {
    let mut kept = Vec::new();
    let mut skip = false;
    for argument in arguments {
        if std::mem::take(&mut skip) {
            continue;
        }
        let name = argument.split('=').next().unwrap_or_default();
        if OWN.contains(&name) || OWN_SHORT.contains(&argument.as_str()) {
            skip = !argument.contains('=');
        } else if !OWN_SHORT.iter().any(|short| argument.starts_with(short) && !argument.starts_with("--")) {
            kept.push(quoted(&argument));
        }
    }
    kept.join(" ")
}

/// For a shell.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn slurm(parts: &Parts) -> String {
    let Parts { command, shards, output, stem } = parts;
    let program =
        std::env::current_exe().map_or_else(|_| "switchyard".to_owned(), |path| path.display().to_string());
    let (program, stem, output) = (quoted(&program), quoted(stem), quoted(output));
    format!(
        r#"#!/bin/bash
# A sweep of switchyard as a job array of {shards} parts. Save this as sweep.sh on a file system that all nodes share, then
#   bash sweep.sh      submits the array, and a job that merges the parts into {output} when all have ended well
#   sbatch sweep.sh    submits the array alone
# A part that was interrupted goes on where it stopped: submit the script again. Add what your site asks for (partition,
# account, memory, time) to the #SBATCH lines. SWITCHYARD=/path/to/switchyard names another copy of the program.
#SBATCH --job-name=switchyard-sweep
#SBATCH --array=1-{shards}
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
set -euo pipefail

switchyard=${{SWITCHYARD:-{program}}}
stem={stem}
output={output}

if [ -z "${{SLURM_ARRAY_TASK_ID:-}}" ]; then
  array=$(sbatch --parsable "$0")
  array=${{array%%;*}}
  printf -v merge '%q merge %q.shard-*-of-{shards}.csv --output %q' "$switchyard" "$stem" "$output"
  job=$(sbatch --parsable --dependency="afterok:$array" --kill-on-invalid-dep=yes --job-name=switchyard-merge --ntasks=1 --wrap "$merge")
  echo "array $array, then merge ${{job%%;*}}: $output"
  exit
fi

exec "$switchyard" {command} \
  --shard "$SLURM_ARRAY_TASK_ID/{shards}" --jobs "${{SLURM_CPUS_PER_TASK:-1}}" \
  --output "$stem.shard-$SLURM_ARRAY_TASK_ID-of-{shards}.csv""#
    )
}

fn k8s(parts: &Parts, args: &SweepArgs, plan: &Plan<'_>) -> String {
    let Parts { command, shards, output, stem } = parts;
    let name = format!("switchyard-sweep-{}", plan.digest.get(..8).unwrap_or("0"));
    let image =
        args.spread.image.clone().unwrap_or_else(|| format!("switchyard:{}", env!("CARGO_PKG_VERSION")));
    let shard = format!("--shard \"$((JOB_COMPLETION_INDEX + 1))/{shards}\" --jobs 1");
    let (script, volume, mount, collect) = match &args.spread.claim {
        Some(claim) => (
            format!(
                "exec switchyard {command} {shard} --output {}.shard-\"$((JOB_COMPLETION_INDEX + 1))\"-of-{shards}.csv",
                quoted(stem)
            ),
            format!(
                "\n      volumes:\n        - name: data\n          persistentVolumeClaim:\n            claimName: {}",
                yaml(claim)
            ),
            "\n          workingDir: /data\n          volumeMounts:\n            - name: data\n              mountPath: /data".to_owned(),
            format!("#   switchyard merge {}.shard-*-of-{shards}.csv -o {}     where the claim is mounted", quoted(stem), quoted(output)),
        ),
        None => (
            format!(
                "cd \"$(mktemp -d)\"\nswitchyard {command} {shard} --output shard.csv 2> notes || {{ cat notes >&2; exit 1; }}\ncat shard.csv"
            ),
            String::new(),
            String::new(),
            format!(
                "#   for i in $(seq 0 {}); do\n\
                 #     kubectl logs --tail=-1 $(kubectl get pods -o name --field-selector=status.phase=Succeeded \\\n\
                 #       -l batch.kubernetes.io/job-name={name},batch.kubernetes.io/job-completion-index=$i) > {}.shard-$((i + 1))-of-{shards}.csv\n\
                 #   done\n\
                 #   switchyard merge {}.shard-*-of-{shards}.csv -o {}",
                shards - 1, quoted(stem), quoted(stem), quoted(output)
            ),
        ),
    };
    let script = script.lines().map(|line| format!("\n              {line}")).collect::<String>();
    format!(
        "# A sweep of switchyard as an Indexed Job of {shards} parts.\n\
         #   kubectl apply -f sweep.yaml\n\
         #   kubectl wait --for=condition=complete --timeout=-1s job/{name}\n\
         {collect}\n\
         # The image needs switchyard in its PATH, and a shell.\n\
         apiVersion: batch/v1\n\
         kind: Job\n\
         metadata:\n\
        \x20 name: {name}\n\
         spec:\n\
        \x20 completionMode: Indexed\n\
        \x20 completions: {shards}\n\
        \x20 parallelism: {shards}\n\
        \x20 backoffLimit: 6\n\
        \x20 template:\n\
        \x20   spec:\n\
        \x20     restartPolicy: Never\n\
        \x20     containers:\n\
        \x20       - name: sweep\n\
        \x20         image: {image}\n\
        \x20         command: [\"/bin/sh\", \"-c\"]\n\
        \x20         args:\n\
        \x20           - |{script}\n\
        \x20         resources:\n\
        \x20           requests:\n\
        \x20             cpu: \"1\"\n\
        \x20             memory: 512Mi{mount}{volume}",
        image = yaml(&image),
    )
}

/// A string in YAML, of which JSON's strings are some.
fn yaml(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_gets_the_same_arguments_but_for_its_own() {
        let arguments = "sweep --generate yard:50:1 --policy easy --submit slurm --shards=4 -o out.csv -j2 --jobs 3 \
                         --vary order=fifo,shortest -oother.csv --output=third.csv --metrics";
        let kept = own_arguments(arguments.split_whitespace().map(str::to_owned));
        assert_eq!(kept, "sweep --generate yard:50:1 --policy easy --vary order=fifo,shortest --metrics");
    }

    #[test]
    fn what_a_shell_would_read_otherwise_is_quoted() {
        assert_eq!(quoted("poisson:9:1:95%"), "'poisson:9:1:95%'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("load=0.8..1.2:0.1"), "load=0.8..1.2:0.1");
    }
}
