/** Every number of the interface, named once (docs/reference/limits.md). */

/** Characters of the name of a service, database or bucket, short enough for all that is named after it. */
export const workloadNameMax = 50
/**
 * Characters of a text that names a record, an account at a cloud or the like: the longest name that an object of the
 * cluster may have, an RFC 1123 subdomain.
 */
export const objectNameMax = 253
export const variableNameMax = 253
/** Patterns that a service watches, and characters of each. */
export const watchPatternsMax = { patterns: 50, characters: 250 } as const
/** Words of `command` and of `args`, and characters of each. */
export const commandMax = { words: 50, characters: 1000 } as const
/** Characters of `workingDir`. */
export const workingDirMax = 500

/** The body of a request; more is 413 `too_large` (docs/reference/limits.md#requests). */
export const requestBodyBytes = 2 * 1024 * 1024
/** What is still read of a refused body before its connection is closed, for how long, and the longest pause in it. */
export const discardedBody = { bytes: 16 * 1024 * 1024, seconds: 5, pauseSeconds: 1 } as const
/** One part of a restore of the platform: bytes of its entries before they are packed, and after they are unpacked. */
export const restorePartBytes = { sent: 1024 * 1024, taken: 16 * 1024 * 1024 } as const
/** Entries of one such part. */
export const restorePartEntries = 100
/** Fields of one form, values of one list, and how deep JSON may nest: more is no request, but work for the server. */
export const formFieldsMax = 10_000
export const listValuesMax = 1000
export const jsonNestingMax = 64
/** The serialised spec of a record; annotations hold copies of it and may hold 256 KiB together. */
export const recordSpecBytes = 96 * 1024

/** Device sign-in: seconds a code lives. */
export const deviceLifetimeSeconds = 600
export const devicePendingMax = 100
/** Pending sign-ins of one address: no client fills all places alone. */
export const devicePendingPerAddress = 20
/**
 * A token that was approved and never fetched goes after so long; its sign-in request has ended by then whatever the
 * clocks say.
 */
export const unfetchedTokenSeconds = 2 * deviceLifetimeSeconds
export const deviceStartsPerMinute = 10
export const devicePollSeconds = 5
export const deviceSlowDownSeconds = 5
export const deviceSlowDownMaxSeconds = 30
export const deviceClientNameMax = 60
export const deviceTokenDays = 30

/** Tokens: 0 days means the token never expires. */
export const tokenDays = { min: 0, max: 3650 } as const
export const tokenNameMax = 100

/** Services. */
export const replicas = { min: 0, max: 1000 } as const
/** The highest port of TCP. */
export const portMax = 65_535
export const servicePort = { min: 1, max: portMax, default: 8080 } as const
/**
 * Bytes of base64 of the secret variables of one service, and of those of one project: a release holds both in a
 * Secret, which takes 1 MiB.
 */
export const secretVariablesBytes = 512 * 1024
export const idleSeconds = { min: 30, max: 86_400, default: 300 } as const
export const targetCpuPercent = { min: 1, max: 100, default: 50 } as const
export const deploymentRecordsKept = 12
/** How long capacity is kept for a deploy that was accepted and has no pods yet. */
export const capacityReservationSeconds = 60
/** Last lines of each part of the log of a deploy that failed, shown to who waited for it. */
export const failedDeployLogLines = 20
export const functionCodeMax = 64 * 1024
export const functionSchedulesMax = 8
/** Characters of path and query of a call by hand. */
export const functionCallPathMax = 2000
export const functionScheduleNameMax = 32
export const functionScheduleMax = 128
export const functionPayloadMax = 64 * 1024
export const probeSeconds = { min: 1, max: 3600, period: 10, timeout: 2 } as const
export const probeFailures = { min: 1, max: 100, default: 3 } as const

/** Projects. */
export const webhooksPerProject = 20
export const webhookUrlMax = 2048
export const webhookIdMax = 63
/** A caller waits for the answer of a test delivery. */
export const webhookTestSeconds = 10
export const requiredTagsPerProject = 8
export const networkAllowProjects = 20
/** How long a person may stay at the git host before coming back. */
export const gitHostStateSeconds = 3600
/** Deliveries of plain git webhooks from one address that may be refused in a minute. */
export const gitWebhookRefusedPerMinute = 60
/** Repositories that are listed of one installation. */
export const repositoriesMax = 1000
/** Characters of `owner/name` at the git host. */
export const repositoryNameMax = 255
export const pullRequestEnvironments = { min: 1, max: 25, default: 5 } as const
/** Days without a new commit after which the environment of a pull request is closed. */
export const pullRequestIdleDays = 14
/** The highest number of a pull request; no git host counts further. */
export const pullRequestNumberMax = 2_147_483_647
/** A DNS label, such as an environment or a region. */
export const dnsLabelMax = 63
export const environmentNameMax = 63
/** Characters of the project ID, a dash and the environment name together. */
export const namespaceMax = 63
export const displayNameMax = 63

/** Nodes and placement. */
export const nodeTagsPerNode = 16
export const nodeTagNameMax = 40
export const runOnTagsMax = 8

/** Characters of a cloud connection's name; its Secret is `<name>-credentials`. */
export const connectionNameMax = 50
/** Platform settings: nothing that fits is longer. */
export const hostNameMax = 253
export const repositoryPathMax = 500
export const keyTextMax = 16 * 1024
export const zonesMax = 100

/** Logs. */
export const logTail = { min: 1, max: 1000, default: 200 } as const
/** Copies of a service that are read or followed for one answer, the newest: each costs a connection to its node. */
export const logPodsMax = 50
export const logSinceSeconds = 7 * 24 * 3600
export const runsDefault = 50
export const runsMax = 200
/** Events of a run's history that its steps are read from, the newest. */
export const runEventsMax = 4000
export const logSearchMax = 200
/** What is kept of the log of a build, by its containers: the last lines, of so many bytes with their times. */
export const buildLogKept = {
  clone: { lines: 500, bytes: 60_000 },
  build: { lines: 5000, bytes: 500_000 },
} as const

/** Processes and threads of the builder and of the steps of one build that run as root of it. */
export const buildProcessesMax = 3000

/** Characters of the version of a database's engine. */
export const engineVersionMax = 32
/** Databases: three copies make one that survives the loss of any of them; two would not. */
export const clusterSize = { min: 1, max: 9 } as const
export const highAvailabilityCopies = 3
export const backupRetentionDays = { min: 1, max: 3650, default: 7 } as const
/** Between two scheduled backups of a database. */
export const backupEverySeconds = 24 * 3600
/** Between two restore drills of a database that is proven, and between two tries of one. */
export const drillEverySeconds = 7 * 24 * 3600
export const drillAgainSeconds = 24 * 3600
/** How long after a drill was due nothing needs to be proven yet. */
export const drillLateSeconds = 2 * 24 * 3600
/** How long a backup that failed stays to be read, where no newer one is whole. */
export const failedBackupSeconds = 7 * 24 * 3600
/** Between two looks for new WAL of a postgres, or new binary log of a mysql. */
export const walEverySeconds = 30
/** Something is wrong where the last moment that is stored is older than this. */
export const walLateSeconds = 3600
/**
 * The WAL that a postgres keeps while it cannot be stored, and the binary log that a mysql keeps at all: these percent
 * of its volume, and at least so many MB.
 */
export const walKept = { percent: 10, leastMegabytes: 128 } as const
/** A database or service says so from this part of its volume on. */
export const volumeFullPercent = 85
/** Characters of a login's name at a server elsewhere, and of the PEM certificates that check the server's own. */
export const serverUsernameMax = 253
export const caCertificateMax = 64 * 1024
/** A query: its text, how long it may take, and how much of its answer is handed out. */
export const queryTextMax = 64 * 1024
export const querySeconds = 30
export const queryRows = 1000
export const queryAnswerBytes = 1024 * 1024
/** Queries that run at once in one process: of one user or token, and of all. */
export const openQueries = { perCaller: 4, total: 20 } as const

/** Variables of a service that its builds get. */
export const buildVariablesMax = 50

/** Object stores and logical databases; what the engines and their operators take as the name of a database. */
export const databaseNameMax = 63
export const bucketsPerStore = 32
export const bucketName = { min: 3, max: 63 } as const
export const storedBucketNameMax = 63
export const objectStoreNodeTags = 8
export const objectServerStorage = '10Gi'
export const connectionLimit = { min: 1, max: 1000, default: 20 } as const
export const logicalDatabaseDropSeconds = 180
export const logicalDatabaseRealNameMax = 60

/** Controllers: how often a waiting resource is looked at again, and when failing ones are marked failed. */
export const controllerRecheckSeconds = 30
export const provisionFailedPasses = 5
export const provisionFailedSeconds = 180

/** Event stream. */
export const eventPingSeconds = 25
export const eventCoalesceMs = 250
/** A caller that answered or read nothing for so many pings is gone: a broken connection may never report its end. */
export const unansweredPingsMax = 4
/**
 * Streams open at once in one process: of one user or token, and of all. A listener of changes weighs a tenth of a
 * megabyte.
 */
export const openStreams = { events: { perCaller: 1000, total: 2000 }, logs: { perCaller: 20, total: 200 } } as const
/** Pods whose logs one process follows at once: each is a connection to a node, shared by all who listen. */
export const podFollowsMax = 1000

/** Terminals open at once in one process: of one user or token, and of all. */
export const openTerminals = { perCaller: 10, total: 50 } as const
/** Nothing was typed or shown for so long. */
export const terminalIdleSeconds = 900
/** One message of a caller. */
export const terminalFrameBytes = 128 * 1024
/** What waits for a side that reads slowly, each way, before the other side has to wait, too. */
export const terminalBufferBytes = 256 * 1024
/** A command to run in place of a shell, and one word of it; addresses are no longer than 16 KiB. */
export const terminalCommandWords = 50
export const terminalWordMax = 8192

/** Metrics windows; the raw API takes `15m` when none is named. */
export const metricsWindows = ['15m', '1h', '6h', '24h'] as const
export const metricsWindowDefault = '15m'

/** Between two looks of a client that waits for a deploy or a record. */
export const waitPollSeconds = 3
/** A client asks again for a stream that broke, after so long. */
export const streamRetryMs = 2000

/**
 * Tools of agents: seconds of a wait, newest log lines, lines of one stage of a deployment's log, characters of a
 * result.
 */
export const agentWaitSeconds = { min: 1, max: 900, default: 300 } as const
export const agentLogTail = { min: 1, max: 500, default: 100 } as const
export const agentLogStageLines = 200
export const agentResultCharacters = 60_000
/** How long the change of sleep-when-idle waits for the operator to say whether it is active. */
export const sleepCheckSeconds = 10

/** A call of a function: how long it may take, and how much of the answer is read. */
export const functionCallSeconds = 120
export const functionAnswerBytes = 1024 * 1024
/** Calls of functions through svc that run at once in one process: of one user or token, and of all. */
export const openInvocations = { perCaller: 10, total: 50 } as const
/** Runs of a schedule in a row that came to nothing, until its service says so. */
export const scheduleFailures = 3
/** Next runs of a schedule that are shown. */
export const scheduleNextRuns = 5

/** Agents that are connected over HTTP at once, and how long one may be silent. */
export const agentSessions = { total: 1000, perToken: 200, idleSeconds: 1800 } as const

/** Domain verification. */
export const domainRecheckSeconds = 5
export const domainPendingSeconds = 15 * 60
export const domainSlowRecheckSeconds = 5 * 60

/** Sign-in: a session lives 12 hours; five failures in a minute lock a name at an address for a minute. */
export const sessionSeconds = 12 * 3600
export const signInFailures = 5
export const signInWindowSeconds = 60
/** Failures of one address in a minute, whatever the names. */
export const signInFailuresPerAddress = 20
/** After so many failures of one name from anywhere each network has a single try at it until the time is over. */
export const signInFailuresPerName = 50
export const signInNameWindowSeconds = 15 * 60
/**
 * Passwords hashed at once, each for about 50 ms of a core and 32 MiB, and requests that may wait for their turn; known
 * browsers wait ahead.
 */
export const passwordHashes = { atOnce: 2, waiting: 16, ahead: 4 } as const
/** A browser that a user signed in with is known for half a year. */
export const knownDeviceSeconds = 180 * 24 * 3600
export const usernameMax = 100
export const passwordMin = 8
export const passwordMax = 1024
/** `lastUsedAt` of a token is written at most this often. */
export const tokenUseWriteSeconds = 60
/**
 * A token id that the cache does not know may have been made at another replica a moment ago: how many are read from
 * the cluster.
 */
export const unknownTokens = {
  readsAtOnce: 2,
  readsWaiting: 100,
  unprovenPerSecond: 2,
  unprovenPerAddressAndMinute: 30,
  missesKept: 1000,
  missSeconds: 60,
} as const
/**
 * Bytes of large bodies that are read at once for callers without credentials; a body up to `smallBodyBytes` is no
 * large one.
 */
export const strangersBodyBytes = 16 * 1024 * 1024
export const smallBodyBytes = 16 * 1024
/** A cache that got nothing from the cluster for this long is not trusted to say a token is still valid. */
export const authCacheTrustMs = 5000
