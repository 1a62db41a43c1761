/**
 * Bench 10: 100 buckets asked for at once, until all are ready, on a real MinIO that stands for the pod of the object
 * server.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { V1Secret } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { textsOf } from '../../cluster/objects/secret-data.ts'
import { resolveServer, withCluster } from '../../one-machine/index.ts'
import { endChild, launch, waitUntilReady } from '../../one-machine/processes/index.ts'
import type { Line } from '../rig/line.ts'
import type { Rig } from '../rig/rig.ts'

const wanted = { full: 100, quick: 5 }
/** A quarter of what services are held to: a bucket is eight steps and five calls of another server. */
const goalPerSecond = 2.5
const waitMs = 300_000
const lookEveryMs = 50

export async function buckets(rig: Rig, project: string, { quick }: { quick: boolean }): Promise<Line[]> {
  await startServer(rig)
  const count = quick ? wanted.quick : wanted.full
  const names = Array.from({ length: count }, (_, place) => `bucket-${place + 1}`)
  const began = performance.now()
  await Promise.all(
    names.map((name) =>
      rig.client.call('object-stores.create', { project, environment: 'production', name, bucket: name, deploy: true }),
    ),
  )
  await until(
    async () =>
      (await rig.client.call('object-stores.list', { project })).items.filter(({ state }) => state === 'ready')
        .length === count,
  )
  const seconds = (performance.now() - began) / 1000
  const perSecond = count / seconds
  return [
    {
      bench: 10,
      work: `${count} new buckets created with a deploy, all ready after ${seconds.toFixed(1)} s: ${perSecond.toFixed(1)}/s`,
      peer: `${goalPerSecond}/s`,
      ratio: perSecond / goalPerSecond,
      goal: { atLeast: 1 },
      samples: { seconds: [seconds] },
    },
  ]
}

async function startServer(rig: Rig): Promise<void> {
  const command = await resolveServer('minio', { progress: (line) => process.stderr.write(`${line}\n`) })
  const { name } = await rig.client.call('object-stores.create', {})
  let login: Record<string, string> = {}
  await until(async () => {
    login = await rootLogin(rig, name)
    return login['password'] !== undefined
  })
  const address = `127.0.0.1:${rig.objectServerPort}`
  const child = launch({
    name: 'minio',
    command,
    args: ['server', join(rig.folder, 'minio'), '--address', address],
    env: {
      MINIO_ROOT_USER: login['username'] ?? '',
      MINIO_ROOT_PASSWORD: login['password'] ?? '',
      MINIO_BROWSER: 'off',
      MINIO_UPDATE: 'off',
    },
    logFile: join(rig.folder, 'minio.log'),
    ready: async () => (await fetch(`http://${address}/minio/health/ready`).catch(() => undefined))?.ok === true,
  })
  rig.atEnd(() => endChild(child))
  await waitUntilReady(child)
  await until(async () => {
    const { status } = await rig.client.call('object-stores.get', { store: name })
    const { conditions = [] } = status as { conditions?: { status: string }[] } // of a store
    return conditions[0]?.status === 'True'
  })
}

async function rootLogin({ stack }: Rig, server: string): Promise<Record<string, string>> {
  const secret = await withCluster(stack.kubeconfig, (client) =>
    client.get<Sent<V1Secret>>({ type: coreTypes.secret, namespace: 'svc-system', name: `${server}-root` }),
  )
  return textsOf(secret)
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + waitMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('the buckets did not get ready in time')
    await sleep(lookEveryMs)
  }
}
