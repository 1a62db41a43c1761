/**
 * Plays the pods of backups, restores and drills in a kill run: the script of each runs as a process, against a real
 * server of the engine and the real object server, and the pod ends with what it said. A pod can be killed or deleted
 * while it works; a deleted one works on for a moment, as a script that ignores SIGTERM does until its grace period is
 * over.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterClient } from '../../cluster/client.ts'
import { isNotFound } from '../../cluster/objects/errors.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { signalGroup } from '../../one-machine/processes/index.ts'
import {
  type BackedEngine,
  drillTools,
  type MortalEngine,
  type MortalName,
  startMortalEngine,
} from '../harness/backed-engines.ts'
import { type PodEnd, playPod } from '../harness/backup-pod.ts'
import { atEnd } from '../harness/stack.ts'
import { endBackupPod, heldImage, jobOfPod, type JobPod, runOf, storeOf } from '../workflows/backup-world.ts'
import type { PodDeath } from './kills.ts'
import { insist } from './insist.ts'

export interface BackupPods {
  /** Environment of the workers. */
  readonly env: Readonly<Record<string, string>>
  /** Begins to play; `endpoint` is where the object server is. */
  open(client: ClusterClient, endpoint: string): void
  /** Plays the pods of this namespace, too: all of its databases are of this engine. */
  playIn(namespace: string, engine: MortalName): void
  /** The server that the Jobs of a database find, which begins empty. */
  server(database: string, engine: MortalName): Promise<MortalEngine>
  /** Ends it once its database is gone. */
  forget(database: string): Promise<void>
  /** The next pod that begins is hit. */
  strike(death: PodDeath): void
  killServers(): Promise<void>
  reviveServers(): Promise<void>
  /** What a script needs is away from now on, or is back. */
  noteTrouble(isTrouble: boolean): void
  /** Whether the last pod of the Job was hit by anything, so that it may have failed. */
  wasHit(job: string): boolean
  /** What became of all pods, in numbers. */
  count(): { ended: number; failed: number; died: number }
}

interface Played {
  job: string
  pid: number
  isHit: boolean
  /** Whether its script has ended. */
  isOver: boolean
  /** Whether svc, or who strikes, has deleted the pod. */
  isLeaving: boolean
}

const turnMs = 200
/** A pod that is deleted stays until its script has ended: far longer than that is left to it. */
const stopDelay = { 'svc.dev/stop-delay': '120s' }
/** What is left to the script of a deleted pod. */
const graceMs = 1_000

export function createBackupPods(): BackupPods {
  const namespaces = new Map<string, MortalName>()
  const servers = new Map<string, Promise<MortalEngine>>()
  const living = new Set<MortalEngine>()
  const dead = new Set<MortalEngine>()
  const played = new Map<string, Played>()
  const newest = new Map<string, Played>()
  const counts = { ended: 0, failed: 0, died: 0 }
  let death: PodDeath | undefined
  let isTrouble = false

  const server = (database: string, engine: MortalName): Promise<MortalEngine> => {
    const known = servers.get(database) ?? startMortalEngine(engine).then((made) => (living.add(made), made))
    servers.set(database, known)
    return known
  }

  function die(one: Played): void {
    if (one.isOver) return
    one.isHit = true
    counts.died += 1
    signalGroup(one.pid, 'SIGKILL')
  }

  /** Where a strike waits for the next pod, this is the one: it dies, or is deleted by hand. */
  async function suffer(client: ClusterClient, pod: JobPod, one: Played): Promise<void> {
    if (death === undefined) return
    const { afterMs, manner } = death
    death = undefined
    await sleep(afterMs)
    if (one.isOver) return
    one.isHit = true
    if (manner === 'killed') die(one)
    else await insist(() => client.delete(refOf(pod)))
  }

  async function work(client: ClusterClient, pod: JobPod, one: Played, endpoint: string): Promise<PodEnd> {
    const engine = namespaces.get(pod.metadata.namespace ?? '')
    if (engine === undefined) throw new Error('the pod is of no slot')
    const { tools, stop } = await toolsOf(pod, engine, server)
    try {
      const run = await runOf(pod, tools)
      const store = await storeOf(pod, endpoint)
      if (store['key'] === undefined) throw new Error('the Secret of the Job cannot be mounted yet')
      const onStart = (pid: number): void => {
        one.pid = pid
        one.isHit ||= isTrouble
        void suffer(client, pod, one)
      }
      return await playPod({ ...run, store, onStart })
    } finally {
      await stop()
    }
  }

  async function play(client: ClusterClient, pod: JobPod, one: Played, endpoint: string): Promise<void> {
    await client.patch(refOf(pod), { metadata: { annotations: stopDelay } })
    const { code, said } = await work(client, pod, one, endpoint)
    one.isOver = true
    counts[code === 0 ? 'ended' : 'failed'] += 1
    await insist(() => end(client, pod, code, said))
    if (one.isLeaving) await insist(() => client.delete(refOf(pod), { gracePeriodSeconds: 0 }))
  }

  async function turn(client: ClusterClient, endpoint: string): Promise<void> {
    for (const namespace of namespaces.keys()) {
      const { items } = await client.list<JobPod>(coreTypes.pod, { namespace, labelSelector: 'job-name' })
      for (const pod of items) {
        const { uid = '', deletionTimestamp } = pod.metadata
        const known = played.get(uid)
        if (deletionTimestamp !== undefined && known !== undefined) leave(client, pod, known)
        if (deletionTimestamp !== undefined || known !== undefined) continue
        const one = { job: jobOfPod(pod), pid: 0, isHit: false, isOver: false, isLeaving: false }
        played.set(uid, one)
        newest.set(one.job, one)
        // One that could not begin, since the cluster is down or its Secret is not there yet, is tried again.
        play(client, pod, one, endpoint).catch(() => (one.pid === 0 ? played.delete(uid) : undefined))
      }
    }
  }

  function leave(client: ClusterClient, pod: JobPod, one: Played): void {
    if (one.isLeaving) return
    one.isLeaving = true
    one.isHit = true
    if (one.isOver) void insist(() => client.delete(refOf(pod), { gracePeriodSeconds: 0 }))
    else void sleep(graceMs).then(() => die(one))
  }

  return {
    env: heldImage,
    open(client, endpoint) {
      let isStopped = false
      const playing = (async () => {
        // A turn fails while the cluster is down: the next one plays on.
        for (; !isStopped; await sleep(turnMs)) await turn(client, endpoint).catch(() => undefined)
      })()
      atEnd(async () => {
        isStopped = true
        await playing
      })
    },
    playIn: (namespace, engine) => void namespaces.set(namespace, engine),
    server,
    async forget(database) {
      const known = servers.get(database)
      servers.delete(database)
      const gone = await known
      if (gone === undefined) return
      living.delete(gone)
      dead.delete(gone)
      await gone.stop()
    },
    strike: (next) => void (death = next),
    async killServers() {
      for (const each of living) dead.add(each)
      living.clear()
      await Promise.all([...dead].map((each) => each.kill()))
    },
    async reviveServers() {
      const again = [...dead]
      dead.clear()
      await Promise.all(again.map(async (each) => each.start().then(() => living.add(each))))
    },
    noteTrouble(is) {
      isTrouble = is
      if (is) for (const one of played.values()) if (!one.isOver) one.isHit = true
    },
    wasHit: (job) => newest.get(job)?.isHit === true,
    count: () => ({ ...counts }),
  }
}

const refOf = ({ metadata: { name, namespace = '' } }: JobPod) => ({ type: coreTypes.pod, namespace, name })

/** What the script reaches: a drill has a server beside it, all others that of the database they are about. */
async function toolsOf(
  pod: JobPod,
  engine: MortalName,
  server: BackupPods['server'],
): Promise<{ tools: BackedEngine['pod']; stop: () => Promise<void> }> {
  if (jobOfPod(pod).endsWith('-drill')) {
    const { stop, ...tools } = await drillTools(engine)
    return { tools, stop }
  }
  const host = pod.spec.containers[0]?.env.find(({ name }) => name === 'SERVER_HOST')?.value ?? ''
  const { pod: tools } = await server(host.split('.')[0] ?? '', engine)
  return { tools, stop: () => Promise.resolve() }
}

/** A pod that is gone says nothing more. */
async function end(client: ClusterClient, pod: JobPod, code: number, said: string): Promise<void> {
  await endBackupPod(client, pod, code, said).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
}
