/**
 * The git host of a kill run: the stand-in for GitHub behind a proxy that can be cut off, and what plays the pods of
 * builds, which end by themselves a moment after they run.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { isFinished } from '../../kinds/builds/phase.ts'
import { buildsNamespace } from '../../kinds/builds/names.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { saveGitHost } from '../../records/settings/githost.ts'
import { startFaultProxy } from '../harness/fault-proxy.ts'
import { githubApp, type GitHubServer, startGitHub } from '../harness/github.ts'
import type { TestRecords } from '../harness/records.ts'
import { atEnd } from '../harness/stack.ts'
import { builderEnv, endPod } from '../workflows/build-world.ts'
import type { Call } from './acceptor-calls.ts'
import type { Chance } from './seeded.ts'

export interface KillGitHost {
  /** Environment of workers and apis. */
  readonly env: Readonly<Record<string, string>>
  readonly github: GitHubServer
  /** Saves the app, and begins to play builds. */
  open(records: TestRecords): Promise<void>
  /** Cuts every connection to the git host off; the returned function restores it. */
  cut(): () => void
  /** What is wrong with the builds of these services, and with what was made for builds. */
  breaches(apps: ReadonlySet<string>): Promise<string[]>
}

export const installation = 71
/** Of all repositories of the installation, as services and pull requests name them. */
export const repositoryOf = (project: string): string => `acme/${project}`
const slowMs = 5_000
const turnMs = 300

/** A commit that no other has. */
export const commitOf = (chance: Chance): string =>
  Array.from({ length: 5 }, () =>
    chance
      .whole(2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('')

/** The delivery of a push; the same commit to the same branch is the same delivery. */
export const pushOf = (repository: string, branch: string, commit: string): Call => ({
  verb: 'deliver',
  event: 'push',
  delivery: `push-${commit}`,
  body: {
    ref: `refs/heads/${branch}`,
    after: commit,
    repository: { full_name: repository, default_branch: 'main' },
    installation: { id: installation },
    commits: [{ added: ['a.ts'], modified: [], removed: [] }],
  },
})

export async function startGitHost(): Promise<KillGitHost> {
  const github = await startGitHub()
  atEnd(github.stop)
  github.repositories.set(installation, [])
  const proxy = await startFaultProxy(github.url, slowMs)
  /** The pods that built, by the name of the build. */
  const podsOf = new Map<string, Set<string>>()
  let opened: TestRecords | undefined
  return {
    env: { ...builderEnv, SVC_GITHUB_URL: proxy.url, SVC_GITHUB_API_URL: proxy.url },
    github,
    cut: () => proxy.cut(),
    async open(records) {
      opened = records
      await saveGitHost(records, { ...githubApp, keepExisting: false })
      let isStopped = false
      const playing = (async () => {
        // A turn fails while the cluster is down: the next one plays on.
        for (; !isStopped; await sleep(turnMs)) await playAll(records, github, podsOf).catch(() => undefined)
      })()
      atEnd(async () => {
        isStopped = true
        await playing
      })
    },
    async breaches(apps) {
      if (opened === undefined) return []
      const twice = [...podsOf].filter(([, pods]) => pods.size > 1).map(([name]) => `build ${name} built twice`)
      return [...twice, ...(await buildBreaches(opened, apps))]
    },
  }
}

type Pod = KubeObject & { status?: { phase?: string; startTime?: string } }

/** Every pod of a build that has run for a moment ends well, with an image of its own. */
async function playAll(
  { client, builds }: TestRecords,
  { contents }: GitHubServer,
  podsOf: Map<string, Set<string>>,
): Promise<void> {
  const { items } = await client.list<Pod>(coreTypes.pod, { namespace: buildsNamespace })
  const open = builds.cache.list()
  for (const pod of items) {
    const { uid = '', deletionTimestamp, labels: own } = pod.metadata
    const build = open.find(({ metadata }) => metadata.uid === own?.[labels.owner])
    if (build === undefined || pod.status?.phase !== 'Running' || deletionTimestamp !== undefined) continue
    const known = podsOf.get(build.metadata.name) ?? new Set()
    podsOf.set(build.metadata.name, known.add(uid))
    const { revision, branch } = build.spec
    const commit = revision === '' ? (contents.heads.get(branch === '' ? 'main' : branch) ?? '') : revision
    const digest = `sha256:${createHash('sha256').update(uid).digest('hex')}`
    await endPod(client, pod, {
      clone: { message: JSON.stringify({ revision: commit }) },
      build: { message: JSON.stringify({ digest }) },
    })
  }
}

/** Every build has ended, nothing that was made for one is left, and no image of one was deployed twice. */
async function buildBreaches({ client, builds, deployments }: TestRecords, apps: ReadonlySet<string>) {
  const open = builds.cache
    .list()
    .filter((build) => !isFinished(build) || build.status?.jobRef !== undefined)
    .map((build) => `build ${build.metadata.name} has not ended: ${described(build)}`)
  const left = await Promise.all(
    [coreTypes.job, coreTypes.pod, coreTypes.secret].map((type) =>
      client.list<KubeObject>(type, {
        namespace: buildsNamespace,
        labelSelector: `${labels.purpose}=build`,
        metadataOnly: true,
      }),
    ),
  )
  const made = left.flatMap(({ items }) =>
    items.map(({ kind, metadata }) => `${kind} ${metadata.name} of a build is left`),
  )
  const ofGit = deployments.cache
    .list()
    .filter(({ metadata, spec }) => apps.has(spec.app) && !metadata.name.endsWith('-active'))
  const images = Map.groupBy(ofGit, ({ spec }) => spec.imageDigest ?? '')
  const twice = [...images].filter(([digest, of]) => digest !== '' && of.length > 1)
  const pushes = Map.groupBy(
    ofGit.filter(({ spec }) => spec.changeTitle?.startsWith('Push of ') === true),
    ({ spec }) => `${spec.app}: ${spec.changeTitle?.split(' to ')[0] ?? ''}`,
  )
  return [
    ...open,
    ...made,
    ...twice.map(([digest, of]) => `${digest} was deployed by ${of.map(({ metadata }) => metadata.name).join()}`),
    ...[...pushes].filter(([, of]) => of.length > 1).map(([push, of]) => `${push} was deployed ${of.length} times`),
  ]
}

const described = ({ spec, status }: Build): string => JSON.stringify({ app: spec.app, status })
