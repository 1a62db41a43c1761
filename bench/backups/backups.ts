/**
 * Bench 27: backups and restores of a postgres under write load on a real node, against the plain tools in Jobs by
 * hand, by turns; what a backup costs the commits meanwhile; and a restore to a chosen second, whose rows are counted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../client/client.ts'
import { type ClusterClient, connectCluster } from '../../cluster/client.ts'
import { type BackupPeer, createBackupPeer } from '../peers/backup-by-hand.ts'
import type { Line } from '../rig/line.ts'
import type { Rig } from '../rig/rig.ts'
import { describeMs, median } from '../rig/statistics.ts'
import * as backedUp from './backed-up.ts'
import { count, fill, type Reached, startWriter, type Writer } from './written.ts'

const bench = 27
const source = 'bench-kept'
const mebibytes = { full: 2048, quick: 16 }
const rounds = { full: 2, quick: 1 }
/** svc also encrypts, reads every file back and counts what it holds. */
const throughputGoal = 0.9
const commitGoal = 2
const restMs = 10_000

interface Backups {
  svc: number[]
  byHand: number[]
  /** Milliseconds of single commits. */
  commits: { resting: number[]; meanwhile: number[] }
  archive: string
  moment: { at: string; written: number }
}

export async function backups(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  const { node, kubeconfig } = rig.stack
  if (node === undefined) throw new Error('the bench needs a real node')
  await node.engineImages.makeWhereNeeded(() => undefined, ['postgres', 'rclone', 'minio'])
  const cluster = connectCluster({ kubeconfig })
  try {
    const size = quick ? mebibytes.quick : mebibytes.full
    const project = await backedUp.createProject(rig.client)
    await backedUp.createPostgres(rig.client, project, source, backedUp.sourceSize)
    const at = await backedUp.reach(rig.client, cluster, project, source)
    await backedUp.untilBackedUp(rig.client, source)
    await fill(at, size)
    const peer = createBackupPeer(cluster, `${project}-${backedUp.environment}`, backedUp.store)
    const times = quick ? rounds.quick : rounds.full
    const taken = await takeBackups(rig.client, at, peer, times)
    return [
      ...backupLines(taken, size),
      ...(await restores(rig.client, cluster, peer, { project, taken, size, times })),
    ]
  } finally {
    await cluster.close()
  }
}

async function takeBackups(client: Client, at: Reached, peer: BackupPeer, times: number): Promise<Backups> {
  const writer = await startWriter(at)
  try {
    return await takeWhileWritten(client, writer, peer, times)
  } finally {
    await writer.stop()
  }
}

async function takeWhileWritten(client: Client, writer: Writer, peer: BackupPeer, times: number): Promise<Backups> {
  const [svc, byHand, resting, meanwhile]: [number[], number[], number[], number[]] = [[], [], [], []]
  let first: Pick<Backups, 'archive' | 'moment'> | undefined
  for (let round = 0; round < times; round += 1) {
    await sleep(restMs)
    resting.push(...writer.taken())
    const { archive, took } = await backedUp.backUp(client, source)
    svc.push(took)
    meanwhile.push(...writer.taken())
    first ??= { archive, moment: await writer.moment() }
    await sleep(restMs)
    byHand.push(await peer.backUp(source))
    writer.taken()
  }
  if (first === undefined) throw new Error('no backup was taken')
  // The next backup notes how far the WAL of the one before it is stored, which is known once a minute.
  await sleep(75_000)
  await backedUp.backUp(client, source)
  await backedUp.untilRestorable(client, first.archive, first.moment.at)
  return { svc, byHand, commits: { resting, meanwhile }, ...first }
}

/** Throws where another number of rows comes back than there were at the chosen second. */
async function restores(
  client: Client,
  cluster: ClusterClient,
  peer: BackupPeer,
  { project, taken, size, times }: { project: string; taken: Backups; size: number; times: number },
): Promise<Line[]> {
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const began = performance.now()
    await work()
    return performance.now() - began
  }
  const restore = async (restorePoint?: string): Promise<string> => {
    const point = restorePoint === undefined ? {} : { restorePoint }
    const { name } = await client.call('databases.restore', { archive: taken.archive, ...point })
    await backedUp.untilDatabase(client, name)
    return name
  }
  const [svc, byHand]: [number[], number[]] = [[], []]
  let restored = ''
  for (let round = 0; round < times; round += 1) {
    svc.push(await timed(async () => (restored = await restore())))
    await backedUp.remove(client, project, restored)
    byHand.push(
      await timed(async () => {
        await backedUp.createPostgres(client, project, 'bench-by-hand')
        await peer.restore(source, 'bench-by-hand')
      }),
    )
    await backedUp.remove(client, project, 'bench-by-hand')
  }
  const toSecond = await timed(async () => (restored = await restore(taken.moment.at)))
  const { written } = await count(await backedUp.reach(client, cluster, project, restored))
  if (written !== taken.moment.written)
    throw new Error(`${written} rows came back of the ${taken.moment.written} at ${taken.moment.at}`)
  return [
    {
      bench,
      work: `${size} MiB restored into a new postgres: ${describeMs(svc)}; to a chosen second, with ${written} rows as they were then: ${describeMs([toSecond])}`,
      peer: `a new postgres and pg_restore: ${describeMs(byHand)}`,
      ratio: median(byHand) / median(svc),
      goal: { atLeast: throughputGoal },
      samples: { svcMs: svc, toSecondMs: [toSecond], byHandMs: byHand },
    },
  ]
}

function backupLines({ svc, byHand, commits }: Backups, size: number): Line[] {
  return [
    {
      bench,
      work: `backup of ${size} MiB of postgres with its WAL from then on, read back and counted: ${describeMs(svc)}`,
      peer: `pg_dump and pg_basebackup into the same bucket, neither encrypted nor read back: ${describeMs(byHand)}`,
      ratio: median(byHand) / median(svc),
      goal: { atLeast: throughputGoal },
      samples: { svcMs: svc, byHandMs: byHand },
    },
    {
      bench,
      work: `a commit while a backup is taken: ${describeMs(commits.meanwhile)}`,
      peer: `the same at rest: ${describeMs(commits.resting)}`,
      ratio: median(commits.meanwhile) / median(commits.resting),
      goal: { atMost: commitGoal },
    },
  ]
}
