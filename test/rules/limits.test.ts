/**
 * Every line of the table of limits (docs/reference/limits.md): its numbers written down a second time, and the test
 * that shows each limit.
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

/** The limits of the workflows. */
const { recheckMs, failedPasses, failingMs, dropMs, domainRecheckMs, domainPendingMs, domainSlowMs } = standardPolicy

type Line = readonly [line: string, ours: unknown, specified: unknown, ...proofs: string[]]

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
    'keeps pending sign-ins over a restart of the api',
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
    'release the record after three minutes in which the server did not answer',
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
    'a deploy that waits is superseded by a newer one, which makes it ready',
    'a service whose objects another record owns is refused in words and never touched',
  ],
  [
    'Event stream',
    [limits.eventPingSeconds, limits.eventCoalesceMs],
    [25, 250],
    'has the lines of the format, and pings',
    'sends a burst of changes to one record as one event',
  ],
  [
    'Agent deploy wait',
    [limits.waitPollSeconds, limits.agentWaitSeconds, limits.sleepCheckSeconds],
    [3, { min: 1, max: 900, default: 300 }, 10],
    'reads every three seconds until the deploy is complete',
    'a wait of 901 seconds',
    'says within ten seconds whether sleep is active',
  ],
  [
    'Log tail and stage of agents',
    [limits.agentLogTail, limits.agentLogStageLines],
    [{ min: 1, max: 500, default: 100 }, 200],
    '501 log lines',
    'cuts a stage to its last 200 lines',
  ],
  [
    'Function invoke',
    [limits.functionCallSeconds, limits.functionAnswerBytes],
    [120, 1_048_576],
    'fails after its time limit',
    'reads one mebibyte of',
  ],
  [
    'Agent tool result',
    limits.agentResultCharacters,
    60_000,
    'leaves a result of exactly the limit, and cuts one character more',
  ],
  [
    'Domain verification',
    [
      limits.domainRecheckSeconds,
      limits.domainPendingSeconds,
      limits.domainSlowRecheckSeconds,
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
      for (const proof of proofs) expect(tests.includes(proof), `no test says: ${proof}`).to.equal(true)
    })
  }
})
