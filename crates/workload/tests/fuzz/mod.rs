//! Damaged files for every parser: seeds, mutations, and what has to hold for whatever is read. Shared by a short test and the
//! example that runs for as long as one likes.

use rand::{Rng as _, RngExt as _};
use switchyard_model::{Stream, stream};
use switchyard_workload::openb::{read_nodes, read_pods};
use switchyard_workload::{
    Format, LimitModel, LoadScale, Profile, ReadOptions, Recipe, Shake, Slice, SlurmConf, WriteFormat,
    fleet_for, kind_of, read, read_fleet_yaml, write,
};

/// A parser and files that it reads.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    run: fn(&[u8]),
    seeds: &'static [&'static str],
}

const SWF: &[&str] = &[
    "; Version: 2.2\n; MaxProcs: 100\n; UnixStartTime: 843480013\n; Partition: 7 gpu\n1 10 5 60 8 489.5 1000 8 120 2000 1 7 3 4 2 7 -1 -1\n\
     2 12.5 -1 489 4 -1 -1 -1 -1 -1 0 -1 3 -1 -1 1 1 30\n3 20 0 0 -1 -1 -1 -1 60 -1 5 8 -1 -1 -1 -1 -1 -1 9 9\n",
    ";MaxNodes:64\r\n\t18446744073709551615 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\r\n0 0 0 1 1 1 1 1 1 1 2 1 1 1 1 1 1 1\r\n",
];
const SACCT: &[&str] = &[
    "JobID|JobIDRaw|Cluster|User|Account|State|Submit|Start|Elapsed|Timelimit|NNodes|NCPUS|ReqMem|AllocTRES|NodeList|JobName|Partition|QOS\n\
     100|100|c|ann|bio|COMPLETED|2020-01-01T00:00:00|2020-01-01T00:00:05|00:10:00|01:00:00|2|16|4000Mn|cpu=16,mem=8000M,node=2,gres/gpu:a=2|n[1-2]|j||o\nb|p|q\n\
     101_[1-5,9%2]|101|c|bob|bio|CANCELLED by 7|2020-01-01T00:00:00|2020-01-01T00:00:05|1-00:10:00|Partition_Limit|1|16|2147486648Mn||n1|x|p|q\n\
     102+1.batch|102|c|||NODE_FAIL|2020-01-01T00:00:00|Unknown|00:10:00|UNLIMITED|1|1|0n||None assigned|y||\n\
     102+1|102|c|||REQUEUED|2020-01-01T00:00:00|2020-01-01T00:00:00|00:10:00|INVALID|1|1|0n||n3|y||\n",
    "JobID|Submit|ElapsedRaw|TimelimitRaw|State|AllocCPUS|SubmitLine|\n1|2020-01-01T00:00:00|5|Partition_Limit|TIMEOUT|2|sbatch a|b\n --x|\n",
];
const BATSIM: &[&str] = &[
    r#"{"nb_res":4,"jobs":[{"id":"w!1","subtime":1.5,"walltime":10,"res":4,"profile":"p"},{"id":2,"subtime":0,"res":1,"profile":"r"}],
      "profiles":{"p":{"type":"delay","delay":5},"q":{"type":"parallel","cpu":[1]},"r":{"type":"composed","repeat":3,"seq":["p","p"]}}}"#,
];
const CSV: &[&str] = &[
    "job_id,submit,runtime,limit,nodes,tasks,cpus,gpus,memory_mib,user,account,partition,qos,qos_factor,status,wait\n\
     1,0,10.5,20,2,,8,1,100,ann,bio,gpu,high,0.5,completed,3\n2,5,-1,60,,4,1,0,0,\"b, \"\"c\"\"\",,,,,killed,\n",
    "timestamp,duration,num_gpus\n2017-10-09 07:01:55,66.0,1\n2017-10-09T06:13:03.5Z,1-00:00:00,8\n",
    "job_id,account,submit_time,duration,gpus,gang_size,priority\n1,research,22.327,2742.097,8,1,0\n2,a,23,1,4,8,500\n",
    "dt;job_id;wall_time;user;wall_limit;n_tasks\n0;1001;15;user5;7;12\n9;1002;-1;u;8;1\n",
];
const JSON: &[&str] = &[
    r#"{"format":"switchyard-jobs","name":"n","processors":8,"fleet":{"name":"f","classes":[{"name":"n","count":2,"node":{"cpus":4},"nodes_per_rack":2}]},"jobs":[
      {"id":1,"submit_s":1.5,"runtime_s":2,"limit_s":3,"nodes":2,"each":{"cpus":4,"gpus":1,"memory_mib":7},"user":"u","account":"a","terms":{"partition":"p","begin":2000000,"nice":-3,"after":[{"job":1,"kind":"afterok"}]},"status":"failed","wait_s":1},
      {"id":1,"submit_s":0,"runtime_s":2,"tasks":3,"each":{"cpus":1}}]}"#,
];
const CONF: &[&str] = &[
    "ClusterName=x # c\nSchedulerType=sched/backfill\nSchedulerParameters=bf_window=1440,\\\nbf_interval=30\nNodeName=DEFAULT CPUs=4\n\
     NodeName=n[01-10,12] RealMemory=1000 Gres=gpu:a100:2,gpu:1 Feature=a,b\nNodeSet=s Feature=a\nPartitionName=p Nodes=n[01-03],s Default=YES MaxTime=1-0\n\
     Licenses=m:3,k*2\nInclude other.conf\nSelectTypeParameters=CR_Core_Memory\n",
];
const YAML: &[&str] = &[
    "name: lab\ntopology:\n  racksPerSwitch: 2\nnodeClasses:\n  - {name: dgx8, count: 12, gpus: 8, cpus: 96, memoryGi: 1024, nvlink: true, nodesPerRack: 4}\n  - name: &a mid4\n    count: 8\n    gpus: 4\n",
];
const PODS: &[&str] = &[
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time,scheduled_time\n\
     p0,12000,16384,1,1000,V100M16|T4,LS,0,12537496,0\np1,6000,12288,1,460,,LS,427061,12902960,\np2,1,1,8,1000,,,,,\n",
];
const NODES: &[&str] = &["sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,P100\nn1,64000,262144,0,\n"];
const WORDS: &[&str] = &[
    "seed-lab:300:5",
    "poisson:9:1:95%",
    "lublin:50:2",
    "yard:3:1",
    "7d..14d",
    "100..200",
    "90m..",
    "1.2",
    "90%",
    "300:7",
    "f:3:1",
    "padded:3",
    "synthetic:5",
];

/// All parsers.
pub(crate) const TARGETS: [Target; 10] = [
    Target { name: "swf", run: |bytes| jobs(bytes, Format::Swf), seeds: SWF },
    Target { name: "sacct", run: |bytes| jobs(bytes, Format::Sacct), seeds: SACCT },
    Target { name: "batsim", run: |bytes| jobs(bytes, Format::Batsim), seeds: BATSIM },
    Target { name: "csv", run: |bytes| jobs(bytes, Format::Csv), seeds: CSV },
    Target { name: "json", run: |bytes| jobs(bytes, Format::Json), seeds: JSON },
    Target { name: "slurm.conf", run: slurm_conf, seeds: CONF },
    Target { name: "fleet yaml", run: fleet_yaml, seeds: YAML },
    Target { name: "pods", run: |bytes| drop(read_pods("f", bytes)), seeds: PODS },
    Target { name: "nodes", run: |bytes| drop(read_nodes("f", bytes)), seeds: NODES },
    Target { name: "words", run: words, seeds: WORDS },
];

impl Target {
    /// Runs `inputs` damaged files, or as many as `go_on` lets it; returns how many.
    pub(crate) fn run(&self, seed: u64, mut go_on: impl FnMut(u64) -> bool) -> u64 {
        let mut chance = stream(seed, self.name);
        let mut done = 0;
        while go_on(done) {
            let mut bytes = self.seed(&mut chance).as_bytes().to_vec();
            for _ in 0..chance.random_range(0..8) {
                self.damage(&mut bytes, &mut chance);
            }
            (self.run)(&bytes);
            done += 1;
        }
        done
    }

    fn seed(&self, chance: &mut Stream) -> &'static str {
        self.seeds[chance.random_range(0..self.seeds.len() as u32) as usize]
    }

    fn damage(&self, bytes: &mut Vec<u8>, chance: &mut Stream) {
        let place = |bytes: &[u8], chance: &mut Stream| chance.random_range(0..=bytes.len() as u32) as usize;
        let (one, other) = (place(bytes, chance), place(bytes, chance));
        let (from, to) = (one.min(other), one.max(other));
        match chance.random_range(0..9) {
            0 if from < bytes.len() => bytes[from] ^= 1 << chance.random_range(0..8u32),
            1 if from < bytes.len() => bytes[from] = chance.next_u64() as u8,
            2 => drop(bytes.drain(from..to.min(from + 20))),
            3 => bytes.truncate(to),
            4 => {
                let part = bytes[from..to.min(from + 300)].to_vec();
                bytes.splice(one.min(bytes.len())..one.min(bytes.len()), part);
            }
            5 => {
                let seed = self.seed(chance).as_bytes();
                let (one, other) = (place(seed, chance), place(seed, chance));
                bytes.splice(from..from, seed[one.min(other)..one.max(other)].iter().copied());
            }
            6 => lines(bytes, chance),
            _ => {
                let word = WORDS_TO_PUT[chance.random_range(0..WORDS_TO_PUT.len() as u32) as usize];
                // In place of a number or a word, mostly.
                let end = from + bytes[from..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                bytes.splice(from..end, word.bytes());
            }
        }
    }
}

/// Two lines change places, or one comes twice.
fn lines(bytes: &mut Vec<u8>, chance: &mut Stream) {
    let mut lines: Vec<Vec<u8>> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    let count = lines.len() as u32;
    let (one, other) = (chance.random_range(0..count) as usize, chance.random_range(0..count) as usize);
    if chance.random_range(0..2) == 0 {
        lines.swap(one, other);
    } else {
        let line = lines[one].clone();
        lines.insert(other, line);
    }
    *bytes = lines.join(&b'\n');
}

const WORDS_TO_PUT: [&str; 32] = [
    "",
    "-1",
    "0",
    "1",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "9007199254740993",
    "1e308",
    "-0",
    "NaN",
    "inf",
    "1e-9",
    "0.5",
    "|",
    ";",
    ",",
    "\"",
    "\n",
    "\r\n",
    "\t",
    "[",
    "]",
    "{",
    "}",
    "..",
    "_[1-999999]",
    "[001-999999999]",
    "é\u{1f600}",
    "\u{feff}",
    "UNLIMITED",
    "2020-02-30T24:61:61",
];

fn jobs(bytes: &[u8], format: Format) {
    // By its looks, and as what it was.
    let _ = kind_of("f", bytes);
    let _ = read("f", bytes, &ReadOptions::default());
    let options = ReadOptions { format: Some(format), keep_running: true, ..ReadOptions::default() };
    let Ok((workload, report)) = read("f", bytes, &options) else { return };
    let _ = report.to_string();
    assert_eq!(report.jobs, workload.jobs.len() as u64);
    assert!(workload.jobs.windows(2).all(|pair| pair[0].spec.submit <= pair[1].spec.submit));
    let mut ids: Vec<_> = workload.jobs.iter().map(|job| job.spec.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), workload.jobs.len());
    let _ = fleet_for(&workload).build();
    let _ = Profile::of(&workload, workload.declared_procs.unwrap_or(8));
    for format in WriteFormat::ALL {
        let mut out = Vec::new();
        write(&workload, format, &mut out).expect("memory takes everything");
        assert!(std::str::from_utf8(&out).is_ok());
    }
    let _ = Slice::Jobs { from: 1, to: 2 }.apply(&mut workload.clone());
    let _ = LoadScale::Percent(90.0).apply(&mut workload.clone(), 4);
}

fn slurm_conf(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(conf) = SlurmConf::read("f", &text, &mut |_| Ok("PriorityWeightAge=1\n".to_owned())) else {
        return;
    };
    let _ = conf.notes();
    if let Some(Ok(fleet)) = conf.fleet().map(|spec| spec.build()) {
        let _ = conf.site(&fleet);
    }
}

fn fleet_yaml(bytes: &[u8]) {
    if let Ok(spec) = read_fleet_yaml("f", &String::from_utf8_lossy(bytes)) {
        let _ = spec.build();
    }
}

fn words(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = text.parse::<LimitModel>();
    let _ = text.parse::<LoadScale>();
    let _ = text.parse::<Shake>();
    let _ = text.parse::<Slice>();
    if let Ok(recipe) = text.parse::<Recipe>()
        && recipe.jobs < 1_000
    {
        let _ = recipe.generate(Some(64));
    }
}
