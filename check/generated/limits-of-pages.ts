/**
 * The section Limits at the end of each page of the reference: which constants of docs/reference/limits.md are about
 * the subject of the page, with a link to the section that has their values.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type * as limits from '../../contract/limits.ts'
import type * as processLimits from '../../contract/process-limits.ts'
import type { Policy } from '../../durable/policy.ts'

type Limit = keyof typeof limits | keyof typeof processLimits | keyof Policy

const folder = join(import.meta.dirname, '../../docs/reference')

/** The limits of each page's subject. A limit may be on several pages, and is on one at least. */
export const limitsOfPages = {
  access: [
    'tokenDays',
    'tokenNameMax',
    'tokenUseWriteSeconds',
    'deviceLifetimeSeconds',
    'devicePendingMax',
    'devicePendingPerAddress',
    'deviceStartsPerMinute',
    'devicePollSeconds',
    'deviceSlowDownSeconds',
    'deviceSlowDownMaxSeconds',
    'deviceClientNameMax',
    'deviceTokenDays',
    'unfetchedTokenSeconds',
    'sessionSeconds',
    'signInFailures',
    'signInWindowSeconds',
    'signInFailuresPerAddress',
    'signInFailuresPerName',
    'signInNameWindowSeconds',
    'passwordHashes',
    'knownDeviceSeconds',
    'usernameMax',
    'passwordMin',
    'passwordMax',
    'unknownTokens',
    'authCacheTrustMs',
  ],
  backups: [
    'backupRetentionDays',
    'backupEverySeconds',
    'failedBackupSeconds',
    'backupJobSeconds',
    'drillEverySeconds',
    'drillAgainSeconds',
    'drillLateSeconds',
    'walEverySeconds',
    'walLateSeconds',
    'walKept',
  ],
  builds: [
    'buildVariablesMax',
    'buildLogKept',
    'buildProcessesMax',
    'ciLookMs',
    'ciNewsMs',
    'ciSettleMs',
    'ciMissingMs',
    'ciEndMs',
  ],
  'command-line': [
    'waitPollSeconds',
    'clientAnswerMs',
    'streamRetryMs',
    'sleepCheckSeconds',
    'agentWaitSeconds',
    'agentLogTail',
    'agentLogStageLines',
    'agentResultCharacters',
    'agentSessions',
  ],
  conventions: [
    'requestBodyBytes',
    'discardedBody',
    'formFieldsMax',
    'listValuesMax',
    'jsonNestingMax',
    'recordSpecBytes',
    'objectNameMax',
    'strangersBodyBytes',
    'smallBodyBytes',
    'recheckMs',
    'controllerRecheckSeconds',
    'failedPasses',
    'provisionFailedPasses',
    'failingMs',
    'provisionFailedSeconds',
    'resyncMs',
  ],
  databases: [
    'workloadNameMax',
    'engineVersionMax',
    'clusterSize',
    'highAvailabilityCopies',
    'volumeFullPercent',
    'serverUsernameMax',
    'caCertificateMax',
    'queryTextMax',
    'querySeconds',
    'queryConnectMs',
    'queryRows',
    'queryAnswerBytes',
    'openQueries',
  ],
  deployments: [
    'attemptMs',
    'crashRestarts',
    'steadyMs',
    'missingAgainMs',
    'capacityReservationSeconds',
    'deploymentRecordsKept',
    'failedDeployLogLines',
    'watchCoalesceMs',
  ],
  events: ['openStreams', 'eventCoalesceMs', 'eventPingSeconds', 'unansweredPingsMax'],
  functions: [
    'functionCodeMax',
    'functionSchedulesMax',
    'functionScheduleNameMax',
    'functionScheduleMax',
    'functionPayloadMax',
    'functionCallPathMax',
    'functionCallSeconds',
    'functionAnswerBytes',
    'openInvocations',
    'callMs',
    'callRetryMs',
    'callHeartbeatMs',
    'scheduleCatchUpMs',
    'scheduleFailures',
    'functionRunsKept',
    'scheduleNextRuns',
  ],
  githost: [
    'gitHostStateSeconds',
    'repositoriesMax',
    'repositoryNameMax',
    'gitWebhookRefusedPerMinute',
    'pullRequestEnvironments',
    'pullRequestNumberMax',
    'pullRequestIdleDays',
    'pullRequestIdleMs',
    'watchPatternsMax',
    'pushedCommitsMax',
    'pushedPathsMax',
  ],
  'logical-databases': [
    'databaseNameMax',
    'logicalDatabaseRealNameMax',
    'connectionLimit',
    'dropMs',
    'logicalDatabaseDropSeconds',
  ],
  'logs-and-metrics': [
    'logTail',
    'logSinceSeconds',
    'logSearchMax',
    'logPodsMax',
    'logAnswerBytes',
    'logLineMax',
    'openStreams',
    'podFollowsMax',
    'metricsWindows',
    'metricsWindowDefault',
  ],
  nodes: ['nodeTagsPerNode', 'nodeTagNameMax', 'runOnTagsMax'],
  'object-stores': [
    'workloadNameMax',
    'bucketsPerStore',
    'bucketName',
    'storedBucketNameMax',
    'objectStoreNodeTags',
    'objectServerStorage',
    'cloudSettleMs',
  ],
  platform: [
    'hostNameMax',
    'repositoryPathMax',
    'keyTextMax',
    'zonesMax',
    'domainRecheckMs',
    'domainRecheckSeconds',
    'domainPendingMs',
    'domainPendingSeconds',
    'domainSlowMs',
    'domainSlowRecheckSeconds',
    'domainTryMs',
    'restorePartBytes',
    'restorePartEntries',
    'staleCacheMs',
    'stopGraceMs',
  ],
  projects: [
    'environmentNameMax',
    'namespaceMax',
    'dnsLabelMax',
    'displayNameMax',
    'requiredTagsPerProject',
    'networkAllowProjects',
    'connectionNameMax',
    'webhooksPerProject',
    'webhookUrlMax',
    'webhookIdMax',
    'webhookTestSeconds',
    'webhookTryMs',
    'webhookRetryMs',
    'webhookRetryMaxMs',
    'webhookGiveUpMs',
  ],
  runs: [
    'runsDefault',
    'runsMax',
    'runEventsMax',
    'activityMs',
    'localMs',
    'copiesMs',
    'heartbeatMs',
    'retryMs',
    'retryMaxMs',
    'workflowTaskMs',
    'longWorkflowTaskMs',
    'stickyMs',
    'historyEvents',
    'runLookMs',
    'releaseLookMs',
    'releaseSilentMs',
    'clusterCallMs',
    'resyncPage',
    'resyncPartMs',
    'sweepMs',
  ],
  services: [
    'workloadNameMax',
    'replicas',
    'servicePort',
    'portMax',
    'idleSeconds',
    'sleepRequestsPerCopy',
    'targetCpuPercent',
    'probeSeconds',
    'probeFailures',
    'commandMax',
    'workingDirMax',
    'hostNameMax',
    'volumeFullPercent',
  ],
  templates: ['workloadNameMax'],
  terminals: [
    'openTerminals',
    'terminalIdleSeconds',
    'terminalFrameBytes',
    'terminalBufferBytes',
    'terminalCommandWords',
    'terminalWordMax',
  ],
  variables: ['variableNameMax', 'secretVariablesBytes', 'openEditMs'],
} as const satisfies Readonly<Record<string, readonly Limit[]>>

/** Each page with its section of limits: the last one of it. */
export function makeLimitsOfPages(): ReadonlyMap<string, string> {
  const sections = sectionsOf(read('limits'))
  return new Map(
    Object.entries(limitsOfPages).map(([page, names]) => {
      const [text = ''] = read(page).split('\n## Limits\n')
      return [`docs/reference/${page}.md`, `${text.trimEnd()}\n\n## Limits\n${sectionOf(names, sections)}\n`]
    }),
  )
}

const read = (page: string): string => readFileSync(join(folder, `${page}.md`), 'utf8')

/** The heading that each constant stands under on the page of limits. */
function sectionsOf(page: string): ReadonlyMap<string, string> {
  let heading = ''
  const found = new Map<string, string>()
  for (const line of page.split('\n')) {
    if (line.startsWith('## ')) heading = line.slice(3)
    for (const [, name = ''] of (line.split('|').at(-2) ?? '').matchAll(/`(\w+)`/g)) found.set(name, heading)
  }
  return found
}

function sectionOf(names: readonly string[], sections: ReadonlyMap<string, string>): string {
  const byHeading = Map.groupBy(names, (name) => sections.get(name) ?? '')
  const parts = [...byHeading].map(
    ([heading, own]) => `[${heading}](limits.md#${anchorOf(heading)}): ${own.map((name) => `\`${name}\``).join(', ')}`,
  )
  return filled(`${parts.join('; ')}.`)
}

/** The anchor of a heading of plain words. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-')

const width = 120

/** The text in lines; links and names are not broken. */
function filled(text: string): string {
  const words = text.match(/\[[^\]]*\]\S*|\S+/g) ?? []
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}
