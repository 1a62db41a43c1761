/** What kill runs provision at outside of the cluster: a MinIO that plays the object server's pod, and a cloud that moto stands in for. */
import { listBuckets as listMinioBuckets } from '../../outside/minio/buckets.ts'
import { connectMinioAdmin } from '../../outside/minio/admin.ts'
import { connectS3 } from '../../outside/minio/s3.ts'
import type { AwsAccount } from '../../outside/aws/account.ts'
import { listBuckets } from '../../outside/aws/buckets.ts'
import { listKeys, listUsers } from '../../outside/aws/users.ts'
import { accessKeyOf } from '../../kinds/object-stores/names.ts'
import { ownerOfTags, userNameOf } from '../../kinds/object-stores/remote.ts'
import { storedBuckets } from '../../kinds/object-stores/stored-buckets.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { objectServerName } from '../../kinds/object-stores/in-force.ts'
import { createConnection } from '../../records/cloud-connections/create-connection.ts'
import { startFaultProxy } from '../harness/fault-proxy.ts'
import type { Minio } from '../harness/minio.ts'
import { useMoto } from '../harness/moto.ts'
import { chooseAddress, createObjectServer, playObjectServer, untilReady } from '../harness/object-server.ts'
import type { TestRecords } from '../harness/records.ts'

export type OutsideVictim = 'object-server' | 'cloud'

export interface Outside {
  /** What workers are started with. */
  readonly env: Readonly<Record<string, string>>
  /** Sets the object server of the cluster up; there must be workers by then. */
  open(records: TestRecords): Promise<void>
  /** Everything that opens the cloud. */
  readonly secret: string
  /** A connection of the project to the cloud. */
  connect(records: TestRecords, project: string): Promise<void>
  kill(victim: OutsideVictim): Promise<void>
  revive(): Promise<void>
  /** What is wrong with what these stores have there, and what is left of those that are gone. */
  breaches(expected: readonly ObjectStore[], gone: readonly string[]): Promise<string[]>
}

const slowMs = 5_000
/** What the connection to the cloud is called. */
export const cloudConnection = 'kill-cloud'

export async function startOutside(): Promise<Outside> {
  const [{ port, env }, moto] = await Promise.all([chooseAddress(), useMoto()])
  const proxy = await startFaultProxy(moto.url, slowMs)
  const cloud = moto.account()
  let minio: Minio | undefined
  let mend: (() => void) | undefined
  let isDown = false
  const access = () => {
    if (minio === undefined) throw new Error('the object server was not opened')
    return minio
  }
  return {
    env: { ...env, SVC_AWS_ENDPOINT: proxy.url },
    secret: moto.keys.secretAccessKey,
    async open(records) {
      const server = await createObjectServer(records)
      minio = await playObjectServer(port)
      await untilReady(records, server)
    },
    async connect({ client, projects, cloudConnections, now }, project) {
      const wanted = { name: cloudConnection, provider: 'AWS', project, region: '', organization: '', keys: moto.keys } as const
      await createConnection({ client, projects, cloudConnections, now }, wanted)
    },
    async kill(victim) {
      if (victim === 'cloud') mend ??= proxy.cut()
      else if (!isDown) {
        isDown = true
        await access().kill()
      }
    },
    async revive() {
      mend?.()
      mend = undefined
      if (isDown) await access().start()
      isDown = false
    },
    async breaches(expected, gone) {
      const local = expected.filter(({ spec }) => spec.engine === 'Local' && spec.project !== '')
      const remote = expected.filter(({ spec }) => spec.engine === 'Remote')
      return [...(await minioBreaches(access(), local, gone)), ...(await cloudBreaches(cloud, remote))]
    },
  }
}

async function minioBreaches(minio: Minio, expected: readonly ObjectStore[], gone: readonly string[]): Promise<string[]> {
  const s3 = connectS3(minio)
  const admin = connectMinioAdmin(minio)
  try {
    const there = await listMinioBuckets(s3, '')
    const wanted = expected.flatMap(({ spec }) => storedBuckets(spec))
    const users = await Promise.all(expected.map(async ({ metadata: { name } }) => [name, await admin.readUser(accessKeyOf(name))] as const))
    const ghosts = await Promise.all(gone.map(async (name) => [name, await admin.readUser(accessKeyOf(name))] as const))
    return [
      ...wanted.filter((bucket) => !there.includes(bucket)).map((bucket) => `bucket ${bucket} is not on the object server`),
      ...there.filter((bucket) => !wanted.includes(bucket)).map((bucket) => `bucket ${bucket} on the object server belongs to nobody`),
      ...users.filter(([, user]) => user?.enabled !== true || user.policies.length !== 1).map(([name]) => `the user of ${name} is not as it should be`),
      ...ghosts.filter(([, user]) => user !== undefined).map(([name]) => `the user of ${name}, which is gone, is left on ${objectServerName}`),
    ]
  } finally {
    s3.end()
  }
}

async function cloudBreaches(cloud: AwsAccount, expected: readonly ObjectStore[]): Promise<string[]> {
  const breaches: string[] = []
  const users = new Set<string>()
  for await (const user of listUsers(cloud, 'svc-')) users.add(user)
  for (const { metadata } of expected) {
    const user = userNameOf(metadata.name)
    const keys = users.delete(user) ? (await listKeys(cloud, user)).length : 0
    if (keys !== 1) breaches.push(`${metadata.name} has ${keys} access keys in the cloud`)
  }
  breaches.push(...[...users].map((user) => `user ${user} in the cloud belongs to nobody`))
  const wanted = new Map(expected.flatMap(({ metadata, spec }) => spec.buckets.map((bucket) => [bucket, metadata.uid] as const)))
  for await (const { name, tags } of listBuckets(cloud)) {
    if (!wanted.has(name) && ownerOfTags(tags) !== undefined && !expected.some(({ metadata }) => metadata.uid === ownerOfTags(tags)?.uid))
      breaches.push(`bucket ${name} in the cloud belongs to nobody`)
    if (wanted.has(name) && ownerOfTags(tags)?.uid === wanted.get(name)) wanted.delete(name)
  }
  return [...breaches, ...[...wanted.keys()].map((bucket) => `bucket ${bucket} is not in the cloud, or not as its store's`)]
}
