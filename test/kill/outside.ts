/**
 * What kill runs provision outside of the cluster: a MinIO in place of the object server's pod, an external PostgreSQL,
 * and clouds: moto stands in for AWS, small servers for PlanetScale, Cloudflare and GitHub.
 */
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
import { objectServerName } from '../../kinds/object-stores/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { type Engine, startPostgres } from '../harness/engines.ts'
import { startFaultProxy } from '../harness/fault-proxy.ts'
import type { Minio } from '../harness/minio.ts'
import { useMoto } from '../harness/moto.ts'
import { chooseAddress, createObjectServer, playObjectServer, untilReady } from '../harness/object-server.ts'
import { planetScaleKeys, type PlanetScaleServer, startPlanetScale } from '../harness/planetscale.ts'
import type { TestRecords } from '../harness/records.ts'
import { atEnd } from '../harness/stack.ts'
import { type BackupPods, createBackupPods } from './backup-pods.ts'
import type { Account } from './connection-slot.ts'
import { type Domain, startDomain } from './domain.ts'
import { type KillGitHost, startGitHost } from './git-host.ts'

export type OutsideVictim = 'object-server' | 'database-server' | 'cloud'

export interface Outside {
  /** Environment of the workers. */
  readonly env: Readonly<Record<string, string>>
  /** Sets up the object server of the cluster, and plays the pods of backups; needs running workers. */
  open(records: TestRecords): Promise<void>
  /** The object server with the login of its administrator. */
  minio(): Minio
  /** An external PostgreSQL server. */
  readonly server: Engine
  /** Accounts at the clouds. */
  readonly accounts: { readonly aws: Account; readonly planetScale: Account }
  /** The platform's own domain, with its own provider. */
  readonly domain: Domain
  readonly git: KillGitHost
  readonly backups: BackupPods
  kill(victim: OutsideVictim): Promise<void>
  revive(): Promise<void>
  /** What is wrong with the provisioned things there, and what is left of deleted ones. */
  breaches(expected: Provisioned): Promise<string[]>
}

export interface Provisioned {
  stores: readonly ObjectStore[]
  /** Names of former stores. */
  formerStores: readonly string[]
  databases: readonly Database[]
}

const slowMs = 5_000

export async function startOutside(): Promise<Outside> {
  const [{ port, env }, server, moto, planetScale, domain, git] = await Promise.all([
    chooseAddress(),
    startPostgres(),
    useMoto(),
    startPlanetScale(),
    startDomain(),
    startGitHost(),
  ])
  atEnd(planetScale.stop)
  const [aws, elsewhere] = await Promise.all([
    startFaultProxy(moto.url, slowMs),
    startFaultProxy(new URL(planetScale.endpoint).origin, slowMs),
  ])
  const cloud = moto.account()
  const backups = createBackupPods()
  let minio: Minio | undefined
  let repairs: (() => void)[] = []
  const down = new Set<OutsideVictim>()
  const access = () => {
    if (minio === undefined) throw new Error('the object server was not opened')
    return minio
  }
  return {
    env: {
      ...env,
      ...domain.env,
      ...git.env,
      ...backups.env,
      SVC_AWS_ENDPOINT: aws.url,
      SVC_PLANETSCALE_ENDPOINT: `${elsewhere.url}${new URL(planetScale.endpoint).pathname}`,
    },
    server,
    accounts: {
      aws: { provider: 'AWS', organization: '', keys: { ...moto.keys } },
      planetScale: { provider: 'PlanetScale', organization: planetScaleKeys.organization, keys: planetScaleKeys },
    },
    domain,
    git,
    backups,
    minio: access,
    async open(records) {
      const record = await createObjectServer(records)
      minio = await playObjectServer(port)
      backups.open(records.client, minio.endpoint)
      await untilReady(records, record)
    },
    async kill(victim) {
      if (victim === 'cloud') {
        repairs = [aws, elsewhere, domain, git].map(({ cut }) => cut())
        return
      }
      if (down.has(victim)) return
      down.add(victim)
      backups.noteTrouble(true)
      await (victim === 'object-server' ? access().kill() : Promise.all([server.kill(), backups.killServers()]))
    },
    async revive() {
      for (const repair of repairs.splice(0)) repair()
      if (down.delete('object-server')) await access().start()
      if (down.delete('database-server')) await Promise.all([server.start(), backups.reviveServers()])
      backups.noteTrouble(false)
    },
    async breaches({ stores, formerStores, databases }) {
      const local = stores.filter(({ spec }) => spec.engine === 'Local' && spec.project !== '')
      const remote = stores.filter(({ spec }) => spec.engine === 'Remote')
      return [
        ...(await minioBreaches(access(), local, formerStores)),
        ...(await cloudBreaches(cloud, remote)),
        ...planetScaleBreaches(
          planetScale,
          databases.filter(({ spec }) => spec.provider === 'PlanetScale'),
        ),
      ]
    },
  }
}

async function minioBreaches(
  minio: Minio,
  expected: readonly ObjectStore[],
  gone: readonly string[],
): Promise<string[]> {
  const s3 = connectS3(minio)
  const admin = connectMinioAdmin(minio)
  try {
    const there = await listMinioBuckets(s3, '')
    const wanted = expected.flatMap(({ spec }) => storedBuckets(spec))
    const users = await Promise.all(
      expected.map(async ({ metadata: { name } }) => [name, await admin.readUser(accessKeyOf(name))] as const),
    )
    const ghosts = await Promise.all(gone.map(async (name) => [name, await admin.readUser(accessKeyOf(name))] as const))
    return [
      ...wanted
        .filter((bucket) => !there.includes(bucket))
        .map((bucket) => `bucket ${bucket} is not on the object server`),
      ...there
        .filter((bucket) => !wanted.includes(bucket))
        .map((bucket) => `bucket ${bucket} on the object server belongs to no record`),
      ...users
        .filter(([, user]) => user?.enabled !== true || user.policies.length !== 1)
        .map(([name]) => `the user of ${name} is not as it should be`),
      ...ghosts
        .filter(([, user]) => user !== undefined)
        .map(([name]) => `the user of ${name}, which is gone, is left on ${objectServerName}`),
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
  breaches.push(...[...users].map((user) => `user ${user} in the cloud belongs to no record`))
  const wanted = new Map(
    expected.flatMap(({ metadata, spec }) => spec.buckets.map((bucket) => [bucket, metadata.uid] as const)),
  )
  for await (const { name, tags } of listBuckets(cloud)) {
    if (
      !wanted.has(name) &&
      ownerOfTags(tags) !== undefined &&
      !expected.some(({ metadata }) => metadata.uid === ownerOfTags(tags)?.uid)
    )
      breaches.push(`bucket ${name} in the cloud belongs to no record`)
    if (wanted.has(name) && ownerOfTags(tags)?.uid === wanted.get(name)) wanted.delete(name)
  }
  return [
    ...breaches,
    ...[...wanted.keys()].map((bucket) => `bucket ${bucket} is not in the cloud, or not as its store's`),
  ]
}

function planetScaleBreaches({ databases }: PlanetScaleServer, expected: readonly Database[]): string[] {
  const wanted = new Set(expected.map(({ metadata: { name, uid = '' } }) => `${name}-${uid.slice(0, 8)}`))
  return [
    ...[...databases.keys()]
      .filter((name) => !wanted.has(name))
      .map((name) => `database ${name} at PlanetScale belongs to no record`),
    ...[...wanted]
      .filter((name) => databases.get(name)?.passwords.size !== 1)
      .map((name) => `database ${name} at PlanetScale is not there with one password`),
  ]
}
