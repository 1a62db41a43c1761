/**
 * The table of limits (docs/reference/limits.md), every line of it: its numbers written down again, and where each is
 * seen to hold.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import * as limits from '../../contract/limits.ts'
import { standardPolicy } from '../../durable/policy.ts'

const root = join(import.meta.dirname, '../..')
const tests = globSync('test/**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('limits.test.ts'))
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n')

/** What the workflows go by. */
const { recheckMs, failedPasses, failingMs, dropMs, domainRecheckMs, domainPendingMs, domainSlowMs } = standardPolicy

/** A number that nothing uses yet: what it bounds is not part of this interface's machinery. */
const notYet = Symbol('not yet')

type Line = readonly [line: string, ours: unknown, specified: unknown, ...proofs: (string | typeof notYet)[]]

/** In the order of the table; a proof is the title of a test, or a sentence that a test expects. */
const lines: readonly Line[] = [
  [
    'Request body',
    limits.requestBodyBytes,
    2_097_152,
    'takes a body of exactly 2 MiB',
    'Limits: Request body 2 MiB',
    'a body in chunks is refused once it is over 2 MiB',
  ],
  [
    'Device sign-in lifetime',
    limits.deviceLifetimeSeconds,
    600,
    'ends after ten minutes',
    'remembers what is pending when an api starts anew',
  ],
  ['Pending device sign-ins', limits.devicePendingMax, 100, 'keeps a hundred at once and no more'],
  [
    'Device sign-in starts',
    limits.deviceStartsPerMinute,
    10,
    'begins ten times a minute for one address, whatever address it claims to come from',
  ],
  [
    'Device poll backoff',
    [limits.devicePollSeconds, limits.deviceSlowDownSeconds, limits.deviceSlowDownMaxSeconds],
    [5, 5, 30],
    'slows down who polls too fast, five seconds more each time, up to thirty',
  ],
  [
    'Token lifetime',
    limits.tokenDays,
    { min: 0, max: 3650 },
    'Limits: Token lifetime 0 to 3650',
    'Limits: Token lifetime at approval',
  ],
  [
    'Device client name',
    limits.deviceClientNameMax,
    60,
    'Limits: Device client name up to 60',
    'takes a name of sixty characters',
  ],
  ['Replicas', limits.replicas, { min: 0, max: 1000 }, 'Limits: Replicas 0 to 1000', 'Limits: Replicas below 0'],
  [
    'Sleep-when-idle',
    limits.idleSeconds,
    { min: 30, max: 86_400, default: 300 },
    'Limits: Sleep-when-idle above 86400',
    'Limits: Sleep-when-idle below 30',
  ],
  ['Deployment records kept', limits.deploymentRecordsKept, 12, 'keeps the newest twelve records'],
  ['Webhooks per project', limits.webhooksPerProject, 20, 'a project can have at most 20 webhooks'],
  ['Required compliance tags per project', limits.requiredTagsPerProject, 8, 'requiredTags must be at most 8 tags'],
  ['Network allow-list projects', limits.networkAllowProjects, 20, 'allowFromProjects must be at most 20 projects'],
  [
    'Node tags per node',
    [limits.nodeTagsPerNode, limits.nodeTagNameMax],
    [16, 40],
    'a node can have at most 16 tags',
    'a tag of 41 characters',
  ],
  ['Function schedules', limits.functionSchedulesMax, 8, 'Limits: Function schedules 8'],
  [
    'Pull-request environments maxOpen',
    limits.pullRequestEnvironments,
    { min: 1, max: 25, default: 5 },
    'maxOpen must be a whole number from 1 to 25',
  ],
  ['Service default port', limits.servicePort.default, 8080, 'a service that names no port listens on 8080'],
  [
    'Log tail',
    limits.logTail,
    { min: 1, max: 1000, default: 200 },
    'Limits: Log tail above 1000',
    'Limits: Log tail below 1',
  ],
  [
    'Log since and search',
    [limits.logSinceSeconds, limits.logSearchMax],
    [604_800, 200],
    'Limits: log since up to 7 days',
    'Limits: log search up to 200',
  ],
  ['Log tail of the agent tool', limits.logToolTail, { default: 100, max: 500 }, notYet],
  ['Log stage in deploy-log tool', limits.logStageLines, 200, notYet],
  [
    'Bucket',
    [limits.bucketsPerStore, limits.bucketName, limits.storedBucketNameMax],
    [32, { min: 3, max: 63 }, 63],
    '33 buckets',
    'bucket must be 3 to 63 lowercase letters',
    'which must be at most 63 characters',
  ],
  ['Object-store node tags', limits.objectStoreNodeTags, 8, 'nine node tags of the object server'],
  [
    'Connection limit',
    limits.connectionLimit,
    { min: 1, max: 1000, default: 20 },
    'connectionLimit must be a whole number from 1 to 1000',
  ],
  [
    'Environment name',
    [limits.environmentNameMax, limits.namespaceMax],
    [63, 63],
    'Limits: Environment name, a DNS label',
    'Limits: project ID plus environment 63',
  ],
  [
    'Logical database drop wait',
    [limits.logicalDatabaseDropSeconds, dropMs],
    [180, 180_000],
    'let the record go after three minutes in which the server did not answer',
  ],
  [
    'Controller retry',
    [
      limits.controllerRecheckSeconds,
      limits.provisionFailedPasses,
      limits.provisionFailedSeconds,
      recheckMs,
      failedPasses,
      failingMs,
    ],
    [30, 5, 180, 30_000, 5, 180_000],
    'a deploy that waits is superseded by a newer one, which heals it',
    'a service whose objects another record owns is refused in words and never touched',
  ],
  [
    'Event stream',
    [limits.eventPingSeconds, limits.eventCoalesceMs],
    [25, 250],
    'has the lines of the format, and pings',
    'tells a burst of one record once',
  ],
  [
    'Agent deploy wait',
    [limits.agentDeployWaitSeconds, limits.agentPollSeconds, limits.agentSleepCheckSeconds],
    [{ default: 300, max: 900 }, 3, 10],
    notYet,
  ],
  ['Function invoke', undefined, undefined, notYet],
  ['Agent tool result', limits.agentResultChars, 60_000, notYet],
  [
    'Domain verification',
    [
      limits.domainRecheckSeconds,
      limits.domainPatientAfterSeconds,
      limits.domainPatientRecheckSeconds,
      domainRecheckMs,
      domainPendingMs,
      domainSlowMs,
    ],
    [5, 900, 300, 5_000, 900_000, 300_000],
    'says VerificationTimedOut after its time with the cause, and goes on checking',
  ],
]

describe('the limit of', () => {
  for (const [line, ours, specified, ...proofs] of lines) {
    it(line, () => {
      expect(ours).to.deep.equal(specified)
      expect(proofs).not.to.deep.equal([])
      for (const proof of proofs)
        if (typeof proof === 'string') expect(tests.includes(proof), `no test says: ${proof}`).to.equal(true)
    })
  }
})

/**
 * What the table does not name: bounds of fields, and of what strangers may ask of the edge. Written down again, so
 * that none moves unseen.
 */
const further: Readonly<Partial<typeof limits>> = {
  formFieldsMax: 10_000,
  listValuesMax: 1000,
  jsonNestingMax: 64,
  recordSpecBytes: 98_304,
  devicePendingPerAddress: 20,
  unfetchedTokenSeconds: 1200,
  deviceTokenDays: 30,
  tokenNameMax: 100,
  servicePort: { min: 1, max: 65_535, default: 8080 },
  targetCpuPercent: { min: 1, max: 100, default: 50 },
  functionCodeMax: 65_536,
  functionScheduleNameMax: 32,
  functionScheduleMax: 128,
  functionPayloadMax: 65_536,
  probeSeconds: { min: 1, max: 3600, period: 10, timeout: 2 },
  probeFailures: { min: 1, max: 100, default: 3 },
  webhookUrlMax: 2048,
  webhookIdMax: 63,
  webhookTestSeconds: 10,
  pullRequestNumberMax: 2_147_483_647,
  dnsLabelMax: 63,
  displayNameMax: 63,
  runOnTagsMax: 8,
  connectionNameMax: 50,
  hostNameMax: 253,
  repositoryPathMax: 500,
  keyTextMax: 16_384,
  zonesMax: 100,
  clusterSize: { min: 1, max: 9 },
  highAvailabilityCopies: 3,
  backupRetentionDays: { min: 1, max: 3650, default: 7 },
  objectServerStorage: '10Gi',
  logicalDatabaseRealNameMax: 60,
  openStreams: { events: { perCaller: 1000, total: 2000 }, logs: { perCaller: 20, total: 200 } },
  podFollowsMax: 1000,
  sessionSeconds: 43_200,
  signInFailures: 5,
  signInWindowSeconds: 60,
  signInFailuresPerAddress: 20,
  signInFailuresPerName: 50,
  signInNameWindowSeconds: 900,
  passwordHashes: { atOnce: 2, waiting: 16, ahead: 4 },
  knownDeviceSeconds: 15_552_000,
  usernameMax: 100,
  passwordMin: 8,
  passwordMax: 1024,
  tokenUseWriteSeconds: 60,
  unknownTokens: {
    readsAtOnce: 2,
    readsWaiting: 100,
    unprovenPerSecond: 2,
    unprovenPerAddressAndMinute: 30,
    missesKept: 1000,
    missSeconds: 60,
  },
  strangersBodyBytes: 16_777_216,
  smallBodyBytes: 16_384,
  authCacheTrustMs: 5000,
}

describe('a limit beside the table', () => {
  const all: Readonly<Record<string, unknown>> = { ...limits }
  for (const [name, value] of Object.entries(further)) {
    it(`${name} is as it was agreed`, () => {
      expect(all[name]).to.deep.equal(value)
    })
  }
})
