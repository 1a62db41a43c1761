/** A real node with a git server beside it, for the tests of builds. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '../../../client/client.ts'
import { signInByPassword } from '../../../client/password-sign-in.ts'
import { type ClusterClient, connectCluster } from '../../../cluster/client.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { kubeconfigPath } from '../../../one-machine/node/certificates.ts'
import { freePort } from '../../../one-machine/processes/ports.ts'
import { makeServersOf, testServer } from '../../harness/servers.ts'
import { Start } from '../started.ts'
import { baseNames } from './bases.ts'
import { type GitServer, startGitServer } from './git-server.ts'
import { eventuallyOnNode } from '../../cluster/eventually.ts'

/** The builder may have to be compiled, which takes minutes once. */
export const imagesMs = 20 * 60_000
export const gitToken = 'git-token-for-private-repositories'

export type CopyPod = KubeObject & {
  spec: { containers: { image: string }[] }
  status: { podIP?: string; phase?: string; conditions?: { type: string; status: string }[] }
}

export interface BuildNode {
  running: Start
  dataDir: string
  client: Client
  cluster: ClusterClient
  git: GitServer
  /** The address of this machine as pods reach it. */
  host: string
  /** `host:port` of the registry of the node. */
  registry: string
  project: string
  /** Creates a service from `owner/name` of the git server and deploys it; resolves with its name. */
  create(name: string, repository: string, settings?: object): Promise<string>
  /** The deploy after `former`, once it is over. */
  untilOver(name: string, former?: string): Promise<{ id: string; phase: string; summary: string }>
  copies(name: string): Promise<CopyPod[]>
  /** What the copy answers at `/`. */
  answer(name: string): Promise<string>
  log(name: string, id: string): Promise<string>
  stop(): Promise<void>
}

/** @param more changes to the environment of the install */
export async function startBuildNode(more: NodeJS.ProcessEnv = {}): Promise<BuildNode> {
  await makeServersOf('node')
  for (const name of ['buildctl', 'buildkitd', 'rootlesskit'] as const) await testServer(name)
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-builds-node-'))
  const gitPort = await freePort()
  const port = await freePort()
  const hostOfGit = {
    SVC_GITHUB_URL: `http://host.internal:${gitPort}`,
    SVC_BUILD_BASES: JSON.stringify(baseNames),
    ...more,
  }
  const running = new Start(hostOfGit, '--cluster', 'node', '--data', dataDir, '--port', String(port))
  await running.untilServed()
  const baseUrl = `http://127.0.0.1:${port}`
  const password = /password (\S+)/.exec(running.output)?.[1] ?? ''
  const login = { baseUrl, username: 'admin', password, tokenName: 'builds', expiresInDays: 1, userAgent: 'svc-test' }
  const client = createClient({ baseUrl, token: await signInByPassword(login), userAgent: 'svc-test' })
  const addresses = readFileSync(join(dataDir, 'node/node/etc/hosts'), 'utf8')
  const host = /(\S+) host\.internal/.exec(addresses)?.[1] ?? ''
  const git = await startGitServer(host, gitPort, gitToken)
  const registry = `${/(\S+) node-1/.exec(addresses)?.[1] ?? ''}:5000`
  const cluster = connectCluster({ kubeconfig: kubeconfigPath(join(dataDir, 'node/node'), 'admin') })
  const project = (await client.call('projects.create', {})).project
  await eventuallyOnNode(
    'the image of builds is in the registry',
    async () => (await fetch(`http://${registry}/v2/moby/buildkit/tags/list`)).ok,
    imagesMs,
  )
  const status = (app: string) => client.call('apps.status', { app })
  const copies = async (name: string) => {
    const namespace = `${project}-production`
    const { items } = await cluster.list<CopyPod>(coreTypes.pod, { namespace, labelSelector: `svc.dev/app=${name}` })
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  }
  return {
    ...{ running, dataDir, client, cluster, git, host, registry, project, copies },
    create: async (name, repository, settings = {}) => {
      await client.call('apps.create', {
        ...{ project, environment: 'production', name, source: 'git', repository, branch: 'main', ...settings },
        runAsRoot: true, // as what the tests build does
      })
      await client.call('apps.deploy', { app: name })
      return name
    },
    untilOver: async (name, former = '') => {
      const isOver = async () => {
        const { lastAttempt } = await status(name)
        return lastAttempt !== undefined && lastAttempt.id !== former && lastAttempt.phase !== 'Running'
      }
      await eventuallyOnNode(`the deploy of ${name} is over`, isOver)
      const { id = '', phase = '', summary = '' } = (await status(name)).lastAttempt ?? {}
      return { id, phase, summary }
    },
    answer: async (name) => {
      const [copy] = await copies(name)
      return (await fetch(`http://${copy?.status.podIP ?? ''}:8080/`)).text()
    },
    log: async (app, id) => {
      const { sections } = await client.call('apps.deployment-logs', { app, id })
      return sections.map(({ title, lines }) => [title, ...lines].join('\n')).join('\n')
    },
    stop: async () => {
      await cluster.close()
      await git.stop()
      await running.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const readOfProcess = (pid: string, file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '') // it ended
const allProcessIds = async () => (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
const textOf = async (pid: string) => `${await readOfProcess(pid, 'cmdline')}\n${await readOfProcess(pid, 'environ')}`

/** The command lines and environments of everything that runs on this machine, the pods of the node among them. */
export async function processes(): Promise<string[]> {
  return Promise.all((await allProcessIds()).map(textOf))
}

/** The process whose command line or environment has all of these texts; of a container only its first one counts. */
export async function findProcess(...texts: readonly string[]): Promise<number | undefined> {
  for (const pid of await allProcessIds()) {
    const text = await textOf(pid)
    if (!texts.every((each) => text.includes(each))) continue
    const [, inner = ''] = /^NSpid:\t\d+(.*)$/m.exec(await readOfProcess(pid, 'status')) ?? []
    if (inner === '' || inner.endsWith('\t1')) return Number(pid)
  }
  return undefined
}
