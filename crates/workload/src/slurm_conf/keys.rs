//! The keys of `slurm.conf(5)`, and which of them concern a schedule.

/// What becomes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Concern {
    /// It is read.
    Used,
    /// It would change the schedule, or may do so.
    NotModelled,
    /// It is about something else.
    Elsewhere,
    /// Slurm doesn't have it.
    Unknown,
}

/// Settings of the scheduler, as Slurm spells them.
const SCHEDULER: [&str; 21] = [
    "KillWait",
    "MessageTimeout",
    "PreemptExemptTime",
    "PreemptMode",
    "PreemptParameters",
    "PreemptType",
    "PriorityCalcPeriod",
    "PriorityDecayHalfLife",
    "PriorityFavorSmall",
    "PriorityFlags",
    "PriorityMaxAge",
    "PriorityType",
    "PriorityUsageResetPeriod",
    "PriorityWeightAge",
    "PriorityWeightFairshare",
    "PriorityWeightJobSize",
    "PriorityWeightPartition",
    "PriorityWeightQOS",
    "PriorityWeightTRES",
    "SchedulerParameters",
    "SchedulerType",
];

const NOT_MODELLED: &str = "AccountingStorageEnforce AllowSpecResourcesUsage BurstBufferParameters BurstBufferType \
    CompleteWait DefCPUPerGPU DefMemPerCPU DefMemPerGPU DefMemPerNode DependencyParameters EnforcePartLimits \
    FairShareDampeningFactor FastSchedule FederationParameters JobRequeue JobSubmitPlugins LicenseParameters MaxArraySize \
    MaxBatchRequeue MaxJobCount MaxMemPerCPU MaxMemPerNode MaxTasksPerNode MCSParameters MCSPlugin NodeFeaturesPlugins \
    OverTimeLimit PriorityParameters PrioritySiteFactorParameters PrioritySiteFactorPlugin PriorityWeightAssoc RequeueExit \
    RequeueExitHold ResumeRate ResumeTimeout ResvOverRun SchedulerTimeSlice SuspendExcNodes SuspendExcParts SuspendExcStates \
    SuspendRate SuspendTime SuspendTimeout TopologyParam TopologyPlugin UnkillableStepTimeout";

const ELSEWHERE: &str = "AccountingStorageBackupHost AccountingStorageExternalHost AccountingStorageHost AccountingStorageLoc \
    AccountingStorageParameters AccountingStoragePass AccountingStoragePort AccountingStorageTRES AccountingStorageType \
    AccountingStorageUser AccountingStoreFlags AccountingStoreJobComment AcctGatherEnergyType AcctGatherFilesystemType \
    AcctGatherInfinibandType AcctGatherInterconnectType AcctGatherNodeFreq AcctGatherProfileType AuthAltParameters \
    AuthAltTypes AuthInfo AuthType BackupAddr BackupController BatchStartTimeout BcastExclude BcastParameters CacheGroups \
    CertgenParameters CertgenType CertmgrParameters CertmgrType CheckpointType CliFilterParameters CliFilterPlugins \
    CommunicationParameters ControlAddr ControlMachine CoreSpecPlugin CpuFreqDef CpuFreqGovernors CredType CryptoType \
    DataParserParameters DebugFlags DisableRootJobs EioTimeout Epilog EpilogMsgTime EpilogSlurmctld EpilogTimeout \
    ExtSensorsFreq ExtSensorsType FirstJobId GetEnvTimeout GpuFreqDef GresTypes GroupUpdateForce GroupUpdateTime HashPlugin \
    HealthCheckInterval HealthCheckNodeState HealthCheckProgram HealthCheckTimeout HttpParserType InactiveLimit \
    InteractiveStepOptions JobAcctGatherFrequency JobAcctGatherParams JobAcctGatherType JobCompHost JobCompLoc \
    JobCompParams JobCompPass JobCompPassScript JobCompPort JobCompType JobCompUser JobContainerType \
    JobCredentialPrivateKey JobCredentialPublicCertificate JobFileAppend KeepAliveTime KillOnBadExit LaunchParameters \
    LaunchType LogTimeFormat MailDomain MailProg MaxDBDMsgs MaxJobId MaxNodeCount MaxStepCount MetricsAuthUsers \
    MetricsParameters MetricsType MinJobAge MpiDefault MpiParams NamespaceType PluginDir PlugStackConfig PowerParameters \
    PowerPlugin PrEpParameters PrEpPlugins PrivateData ProctrackType Prolog PrologEpilogTimeout PrologFlags \
    PrologSlurmctld PrologTimeout PropagatePrioProcess PropagateResourceLimits PropagateResourceLimitsExcept \
    RebootProgram ReconfigFlags ResumeFailProgram ResumeProgram ResvEpilog ResvProlog ReturnToService RoutePlugin \
    SallocDefaultCommand SbcastParameters ScronParameters SlurmctldAddr SlurmctldDebug SlurmctldHttpAuthParameters \
    SlurmctldLogFile SlurmctldParameters SlurmctldPidFile SlurmctldPort SlurmctldPrimaryOffProg SlurmctldPrimaryOnProg \
    SlurmctldSyslogDebug SlurmctldTimeout SlurmdDebug SlurmdHttpAuthParameters SlurmdLogFile SlurmdParameters \
    SlurmdPidFile SlurmdPort SlurmdSpoolDir SlurmdSyslogDebug SlurmdTimeout SlurmdUser SlurmSchedLogFile \
    SlurmSchedLogLevel SlurmUser SrunEpilog SrunPortRange SrunProlog StateSaveLocation SuspendProgram SwitchParameters \
    SwitchType TaskEpilog TaskPlugin TaskPluginParam TaskProlog TCPTimeout TLSParameters TLSType TmpFS TrackWCKey \
    TreeWidth UnkillableStepProgram UrlParserType UsePAM VSizeFactor WaitTime X11Parameters";

const OF_NODES: &str = "Boards CoresPerSocket CPUs Feature Features Gres Procs RealMemory Sockets SocketsPerBoard State \
    ThreadsPerCore";
const OF_NODES_NOT_MODELLED: &str =
    "CoreSpecCount CPUSpecList MemSpecLimit RestrictedCoresPerGPU SuspendTime Topology Weight";
const OF_NODES_ELSEWHERE: &str =
    "AutoResume BcastAddr CpuBind GresConf NodeAddr NodeHostname Parameters Port Reason TmpDisk TRESWeights";

const OF_PARTITIONS: &str = "Default DefaultTime GraceTime MaxNodes MaxTime Nodes OverSubscribe PreemptMode Priority PriorityJobFactor \
    PriorityTier Shared State";
const OF_PARTITIONS_NOT_MODELLED: &str = "AllowAccounts AllowGroups AllowQos Alternate DefCPUPerGPU DefMemPerCPU \
    DefMemPerGPU DefMemPerNode DenyAccounts DenyQos ExclusiveTopo ExclusiveUser JobDefaults LLN MaxCPUsPerNode \
    MaxCPUsPerSocket MaxMemPerCPU MaxMemPerNode MinNodes OverTimeLimit PowerDownOnIdle QOS ReqResv ResumeTimeout RootOnly \
    SelectTypeParameters SuspendTime SuspendTimeout Topology";
const OF_PARTITIONS_ELSEWHERE: &str =
    "AllocNodes AllowAllocNodes CpuBind DisableRootJobs Hidden TRESBillingWeights";

/// The scheduler's setting with this name in any case, as Slurm spells it.
pub(super) fn of_scheduler(key: &str) -> Option<&'static str> {
    SCHEDULER.into_iter().find(|known| known.eq_ignore_ascii_case(key))
}

/// A key that stands by itself.
pub(super) fn concern(key: &str) -> Concern {
    classify(key, "", NOT_MODELLED, ELSEWHERE)
}

/// A key of a `NodeName` line.
pub(super) fn node_concern(key: &str) -> Concern {
    classify(key, OF_NODES, OF_NODES_NOT_MODELLED, OF_NODES_ELSEWHERE)
}

/// A key of a `PartitionName` line.
pub(super) fn partition_concern(key: &str) -> Concern {
    classify(key, OF_PARTITIONS, OF_PARTITIONS_NOT_MODELLED, OF_PARTITIONS_ELSEWHERE)
}

fn classify(key: &str, used: &str, not_modelled: &str, elsewhere: &str) -> Concern {
    let among = |list: &str| list.split_whitespace().any(|known| known.eq_ignore_ascii_case(key));
    match () {
        () if among(used) => Concern::Used,
        () if among(not_modelled) => Concern::NotModelled,
        () if among(elsewhere) => Concern::Elsewhere,
        () => Concern::Unknown,
    }
}
