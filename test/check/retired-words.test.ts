/** Identifiers and comments use the field's words: docs/glossary.md lists the retired words and their replacements. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')
/** Comments and strings. Strings are exempt: names in histories and records keep their words. */
const literal = /\/\/[^\n]*|\/\*[^]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

const retired: Readonly<Record<string, string>> = {
  Episode: 'ReconcileRun',
  Chapter: 'RunAttributes',
  Story: 'ReconcileAction',
  ProvisionStory: 'ProvisionAction',
  Settled: 'ReconciledRecord',
  SettledKind: 'ReconciledKind',
  Side: 'Activities',
  sides: 'activities',
  heard: 'received, or clearWake',
  handOver: 'continueAsNew',
  takeUp: 'markAccepted',
  tellDraft: 'writeDraftStatus',
  letGo: 'removeFinalizer',
  giveUp: 'markFailed',
  putBack: 'autoRollback',
  adopt: 'deployExternalEdit',
  ProvisionRoom: 'ProvisionContext',
  RoomKeeper: 'CapacityReserver',
  memoryOf: 'cacheOf',
  isUnheard: 'isNotAccepted',
  isUnsettled: 'isReconciling',
  tellEvent: 'recordEvent',
  tellWebhooks: 'notifyWebhooks',
  createInTurn: 'createKeyedMutex',
  lately: 'staleWhileRevalidate',
  lastWordsMs: 'drainMs',
  ForeignObject: 'OwnershipConflict',
  OutsideTrouble: 'UpstreamError',
  TunnelTrouble: 'TunnelFailure',
  specInForce: 'effectiveSpec',
  inForce: 'effectiveSpec or attempt',
  undeployedWords: 'pendingChanges',
  deployedSpec: 'lastDeployed',
  asksToBePutBack: 'asksForRollback',
  lackOf: 'missingOf',
  lacksConnection: 'missingConnection',
  goOn: 'continued',
  isTold: 'isSubscribed',
  Addressed: 'ServiceRef',
  Patience: 'PollOptions',
  freezes: 'freezeKey',
  withGoneNamespaces: 'withForbiddenAsNotFound',
  reasonToLook: 'wakeReasonOf',
  storePolicy: 'minioPolicy',
  Hint: 'Wake',
  Hints: 'Wakes',
  hints: 'wakes',
  sendHint: 'sendWake',
  createHints: 'createWakes',
  hintSignal: 'wakeSignal',
  hintsSent: 'wakesSent',
  hintRecord: 'wakeRecord',
  hintWith: 'wakeWith',
  createRoomKeeper: 'createCapacityReserver',
  reserveRoom: 'reserveCapacity',
  RoomAsked: 'CapacityRequest',
  RoomNeeds: 'CapacityNeeds',
  nodesRoom: 'nodesCapacity',
  podsRoom: 'podsRequests',
  roomOf: 'capacityOf',
  floorsWithRooms: 'floorsWithModules',
  sharedRooms: 'sharedModules',
  topRooms: 'topModules',
  hintApp: 'wakeApp',
  hintProject: 'wakeProject',
  hintPlatform: 'wakePlatform',
  hintDeadlineMs: 'wakeDeadlineMs',
  hintPolicy: 'wakePolicy',
  hinting: 'waking',
  whileHinting: 'whileWaking',
  HintOptions: 'WakeOptions',
  useHints: 'useWakes',
  databaseRoom: 'databaseCapacity',
  serverRoom: 'serverCapacity',
  roomWanted: 'capacityWanted',
  onceThereIsRoom: 'onceThereIsCapacity',
  letIn: 'bindRights',
  tellAbandoned: 'recordAbandoned',
  tellConnection: 'writeConnection',
  tellEnd: 'reportEnd',
  tellForeign: 'recordForeign',
  tellOfRun: 'recordRunEnded',
  tellPlanetScale: 'writePlanetScaleConnection',
  tellSkew: 'logSkew',
  tellStatus: 'publishOutcome',
  tellStaying: 'recordStaying',
  tellWhile: 'reportWhile',
  toldAt: 'reportedAt',
  Around: 'WatchSources',
  hinted: 'withFieldOptions',
  hintOf: 'fieldOptionsOf',
  fieldHints: 'fieldOptions',
  FieldHint: 'FieldOptions',
  letKeptSleep: 'sleepIfKeptAwake',
  patienceMs: 'waitMs, or waitMaxMs',
  patiently: 'scaledLimit',
  SettleInput: 'ReconcileInput',
}

/** Within longer names, as `apart` writes those. */
const retiredParts = new RegExp(
  [
    'told|untold|tells?|telling|hears?|heard|unheard|(?:un)?settled?|settles|settling|lately|remembered|lack(?:s|ed)?',
    'episodes?|chapters?|rooms?|mend(?:s|ed|ing)?|withdraw(?:s|n|ing)?|in force|in turn',
    'last words|lets? go|puts? back|gives? up|gave up|given up|takes? up|took up|taken up',
  ]
    .map((words) => `\\b(?:${words})\\b`)
    .join('|'),
)
/** Names that stay, with the reason. */
const kept = new RegExp(
  [
    // Activities, by the names that histories have.
    'putBackRelease|(?:giveUp|takeUp)(?:Backup|Connection|Database|LogicalDatabase|Project|Service|Store)',
    'tell[A-Za-z]+(?:Draft|Connection)|tellBadBackups|tellMissedEvents',
    'settle(?:Dns|Project|RemoteBuckets|RemoteUser|RemoteKey)',
    // A field and an action of the plans in histories.
    'mends|withdraw',
    // Reasons of conditions, which records hold, and a phase of deliveries and calls, which histories hold.
    'NoRoom|Withdrawing|[wW]ithdrawn',
    // Entries of the policy.
    'webhookGiveUpMs|(?:ci|cloud)SettleMs',
    // A word of messages, which is cut from them.
    'lacks',
    // Names of libraries.
    'allSettled|onSettled',
  ]
    .map((names) => `^(?:${names})$`)
    .join('|'),
)

/** `isUpToDate` is `is up to date`. */
const apart = (name: string): string => name.replace(/([a-z0-9])(?=[A-Z])/g, '$1 ').toLowerCase()

/** What an outside system does is an upstream error; svc's own pods and volumes have troubles. */
const isRetired = (name: string, file: string): boolean =>
  !kept.test(name) && (retiredParts.test(apart(name)) || (file.startsWith('outside/') && /\btrouble/.test(apart(name))))

/** A subject that is not named, and verbs that say neither what is done nor to what. */
const retiredInComments = new RegExp(
  [
    "somebody|whoever|anybody|(?<![`'])nobody(?![`'])",
    'unheard|heard|in force|told|tells of|t(?:ook|akes) up(?! to)|lets? go|puts? back|story|episode',
    'rooms?|(?<!`)mend(?:s|ed|ing)?',
  ]
    .map((words) => `\\b(?:${words})\\b`)
    .join('|'),
  'i',
)

/** The same in sentences of tests: titles, names of rows, and what a test says when it fails. */
const retiredInSentences = new RegExp(
  [
    'somebody|whoever|anybody|nobody|unheard|hears|heard|told|tells of|in force|settled',
    't(?:ook|akes|aken) up|lets? (?:it )?go|puts? back|rooms?|mend(?:s|ed|ing)?',
  ]
    .map((words) => `\\b(?:${words})\\b`)
    .join('|'),
  'i',
)

const isExempt = (file: string): boolean =>
  file === 'test/check/retired-words.test.ts' || file.startsWith('test/replay/')
const tracked = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !isExempt(file))
const files = tracked('*.ts', '*.tsx', '*.mjs')
/** Pages that readers use; recorded decisions and the changelog say what was so at their time. */
const pages = tracked('docs/*.md', 'README.md', 'SECURITY.md', 'CONTRIBUTING.md').filter(
  (file) => !file.startsWith('docs/decisions/') && file !== 'docs/glossary.md',
)
/** Objects for a cluster, with the comments in them; the charts have templates in them. */
const objects = tracked('*.yaml', '*.yml')

/**
 * Fewer words than in comments: pages name actions as operators see them (docs/reference/runs.md#actions), and `heard`
 * or `lets go` may be the plain word there.
 */
const retiredInPages = /\b(?:somebody|whoever|anybody|nobody|told|unheard|episodes?|rooms?|mend(?:s|ed|ing)?)\b/i
/** Kinds of callers in answers and logs, and the user of images. */
const allowedInPages = /`[^`\n]*\bnobody\b[^`\n]*`|\bnobody:x:/g
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')
const namesIn = (file: string): ReadonlySet<string> =>
  new Set(
    textOf(file)
      .replace(literal, "''")
      .match(/[A-Za-z_$][\w$]*/g),
  )

describe('retired words', () => {
  it('are no identifiers', () => {
    const found = files.flatMap((file) => {
      const names = namesIn(file)
      return Object.entries(retired).flatMap(([word, instead]) =>
        names.has(word) ? [`${file}: ${word}; say ${instead}`] : [],
      )
    })
    expect(found).to.deep.equal([])
  })

  it('are no parts of longer identifiers', () => {
    const found = files.flatMap((file) =>
      [...namesIn(file)].filter((name) => isRetired(name, file)).map((name) => `${file}: ${name}`),
    )
    expect(found).to.deep.equal([])
  })

  it('are not in comments', () => {
    const found = files.flatMap((file) =>
      (textOf(file).match(literal) ?? [])
        .filter((text) => text.startsWith('/'))
        .flatMap((comment) => {
          const word = retiredInComments.exec(comment)?.[0]
          return word === undefined ? [] : [`${file}: ${word}`]
        }),
    )
    expect(found).to.deep.equal([])
  })

  it('are not in sentences of tests', () => {
    const found = files
      .filter((file) => file.startsWith('test/'))
      .flatMap((file) =>
        (textOf(file).match(literal) ?? [])
          .filter((text) => !text.startsWith('/') && text.includes(' '))
          .flatMap((sentence) => {
            const word = retiredInSentences.exec(sentence.replace(/\$\{[^}]*\}/g, ''))?.[0]
            return word === undefined ? [] : [`${file}: ${word}: ${sentence.slice(0, 80)}`]
          }),
      )
    expect(found).to.deep.equal([])
  })

  it('are not in pages, nor in objects of the cluster', () => {
    const found = [...pages, ...objects].flatMap((file) =>
      textOf(file)
        .replace(allowedInPages, '')
        .split('\n')
        .flatMap((line, index) => {
          const word = retiredInPages.exec(line)?.[0]
          return word === undefined ? [] : [`${file}:${index + 1}: ${word}`]
        }),
    )
    expect(found).to.deep.equal([])
  })
})
