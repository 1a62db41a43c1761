/**
 * What a kill run knows of the backups of one project, and what must hold once nothing is under way: each backup that
 * is listed is whole in the object store, nothing else is there, none that is kept is gone, and nothing of a Job is
 * left.
 */
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { projectKeyName } from '../../kinds/backup-archives/names.ts'
import { isVerified } from '../../kinds/backup-archives/rules.ts'
import { hasFailed, momentOf } from '../../kinds/backup-archives/schedule.ts'
import { checking, opening } from '../../kinds/backup-archives/scripts.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { connectS3 } from '../../outside/minio/s3.ts'
import type { MortalName } from '../harness/backed-engines.ts'
import { playPod } from '../harness/backup-pod.ts'
import type { Minio } from '../harness/minio.ts'
import { secretValues } from '../harness/object-server.ts'
import type { TestRecords } from '../harness/records.ts'

/** Where the backups of a project are, and the namespace of what is backed up. */
export interface BackupPlace {
  project: string
  environment: string
  /** Of its databases. */
  engine: MortalName
  namespace: string
  store: string
  bucket: string
}

interface Known {
  archive: BackupArchive
  /** The moment that it is of, as svc takes it. */
  moment: number
  isAged: boolean
  /** Whether its caller has asked for its deletion. */
  isForgotten: boolean
  /** The words that its database had between its request and when it was first seen whole. */
  words: readonly string[]
}

const dayMs = 24 * 3600 * 1000
/** By which backups are dated back: more than the day that the databases of a kill run keep them. */
export const agedMs = 2 * dayMs
/** Words have letters alone. */
const letters = 'abcdefghij'
/** The data in one of each engine, and what names it. */
const filesOfBackup = 2
const checkScript = (engine: MortalName): string => `${opening}${checking(engine)}ends '{}' 0\n`

export class BackupJudge {
  readonly #records: TestRecords
  readonly #place: BackupPlace
  readonly #minio: () => Minio
  readonly #words: string[] = []
  /** By the uid of a database, the place of its first word. */
  readonly #births = new Map<string, number>()
  readonly #ended = new Set<string>()
  /** By the name of a backup, the place of the word that its database had when it was asked for. */
  readonly #asked = new Map<string, number>()
  readonly #known = new Map<string, Known>()
  /** What was found of a backup by what its files were then. */
  readonly #checked = new Map<string, { files: string; breach: string }>()

  constructor(records: TestRecords, place: BackupPlace, minio: () => Minio) {
    this.#records = records
    this.#place = place
    this.#minio = minio
  }

  /** The backups of the project as the cluster has them, also those that are on their way or have failed. */
  archives(): Promise<BackupArchive[]> {
    return this.#own<BackupArchive>(resourceTypes.backupArchive)
  }

  databases(): Promise<Database[]> {
    return this.#own<Database>(resourceTypes.database)
  }

  /** A word that the database never had; it may have it from now on. */
  nextWord(): string {
    const word = `word${String(this.#words.length).replaceAll(/\d/g, (digit) => letters[Number(digit)] ?? '')}`
    this.#words.push(word)
    return word
  }

  /** The newest word is the first of this database. */
  born(database: string): void {
    this.#births.set(database, this.#words.length - 1)
  }

  end(database: string): void {
    this.#ended.add(database)
  }

  isEnded = (database: string): boolean => this.#ended.has(database)

  asked(archive: string): void {
    if (!this.#asked.has(archive)) this.#asked.set(archive, this.#words.length - 1)
  }

  age(uid = ''): void {
    const known = this.#known.get(uid)
    if (known === undefined) return
    known.isAged = true
    known.moment -= agedMs
  }

  isAged = (uid = ''): boolean => this.#known.get(uid)?.isAged === true

  forget(uid: string): void {
    const known = this.#known.get(uid)
    if (known !== undefined) known.isForgotten = true
  }

  /** Notes what is whole now; from then on it must be there. */
  async look(): Promise<BackupArchive[]> {
    const live = await this.archives()
    for (const archive of live.filter(isVerified)) {
      const { name, uid = '' } = archive.metadata
      const { isAged = false, isForgotten = false, words } = this.#known.get(uid) ?? {}
      const from = this.#asked.get(name) ?? this.#births.get(archive.spec.databaseUid)
      this.#known.set(uid, {
        archive,
        moment: momentOf(archive),
        isAged,
        isForgotten,
        words: words ?? this.#words.slice(from),
      })
    }
    return live
  }

  /** Whether a restore of it may give this word; once it is gone, another one may be made under its name. */
  mayHold(archive: string, word: string): boolean {
    return this.#named(archive).some(({ words }) => words.includes(word))
  }

  /** Whether it was deleted under the hands of a restore. */
  wasForgotten(archive: string): boolean {
    return this.#named(archive).some(({ isForgotten }) => isForgotten)
  }

  async secrets(): Promise<string[]> {
    const { key } = (await secretValues(systemNamespace, projectKeyName(this.#place.project))) ?? {}
    return key === undefined ? [] : [key]
  }

  /** To be called while no operation is under way. */
  async breaches(): Promise<string[]> {
    const live = await this.look()
    const files = await this.#files()
    const whole = live.filter(isVerified)
    const broken: string[] = []
    for (const archive of whole) broken.push(await this.#breachOf(archive, files.get(archive.spec.path) ?? []))
    const paths = new Set(live.map(({ spec }) => spec.path))
    return [
      ...broken.filter((breach) => breach !== ''),
      ...[...files.keys()].filter((path) => !paths.has(path)).map((path) => `${path} in the store is of no backup`),
      ...this.#lost(live),
      ...live
        .filter((each) => this.#isOld(each, whole))
        .map(({ metadata }) => `backup ${metadata.name} is kept too long`),
      ...live.filter(hasNoRequester).map(({ metadata }) => `backup ${metadata.name} does not say who asked for it`),
      ...(await this.#leftOfJobs(live)),
    ]
  }

  /** Backups that were seen whole. */
  get count(): number {
    return this.#known.size
  }

  /** By the folder of each backup, with what each file is. */
  async #files(): Promise<Map<string, string[]>> {
    const s3 = connectS3(this.#minio())
    try {
      const listed = { Bucket: this.#place.bucket, Prefix: 'svc-backups/' }
      const { Contents = [] } = await s3.ask((client) => client.send(new ListObjectsV2Command(listed)))
      const found = new Map<string, string[]>()
      for (const { Key = '', ETag = '' } of Contents) {
        const folder = Key.slice(0, Key.lastIndexOf('/'))
        found.set(folder, [...(found.get(folder) ?? []), `${Key} ${ETag}`])
      }
      return found
    } finally {
      s3.end()
    }
  }

  /** Read back as a restore reads it, before it loads anything. */
  async #breachOf({ metadata, spec, status }: BackupArchive, files: readonly string[]): Promise<string> {
    const { name, uid = '' } = metadata
    if (files.length !== filesOfBackup) return `backup ${name} is listed, and its files are ${files.join() || 'gone'}`
    const known = this.#checked.get(uid)
    if (known?.files === files.join()) return known.breach
    const { project, namespace, store: bucketName } = this.#place
    const [keys, own] = await Promise.all([
      secretValues(namespace, connectionSecretName(bucketName)),
      secretValues(systemNamespace, projectKeyName(project)),
    ])
    const end = await playPod({
      script: checkScript(this.#place.engine),
      store: {
        ...keys,
        ...own,
        ...{ provider: 'Minio', endpoint: this.#minio().endpoint, region: 'us-east-1' },
        ...{ bucket: spec.bucket, path: spec.path },
      },
      variables: { CHECKSUM: status?.checksum ?? '' },
    })
    const breach = end.code === 0 ? '' : `backup ${name} is listed, and ${end.said || end.log}`
    this.#checked.set(uid, { files: files.join(), breach })
    return breach
  }

  /** Those that were whole go when their caller says so, or when they are old and a newer one is whole. */
  #lost(live: readonly BackupArchive[]): string[] {
    const there = new Set(live.map(({ metadata }) => metadata.uid))
    const lost: string[] = []
    /** Those that are there, or went as they should, the newest first. */
    const good: Known[] = []
    for (const known of [...this.#known.values()].toSorted((one, other) => other.moment - one.moment)) {
      const { archive, isAged, isForgotten } = known
      const isKept = archive.spec.keepDays === undefined || !this.#ended.has(archive.spec.databaseUid)
      const hasNewer = good.some((each) => isSame(each.archive, archive) && each.moment > known.moment)
      if (there.has(archive.metadata.uid) || isForgotten || (isAged && (hasNewer || !isKept))) good.push(known)
      else lost.push(`backup ${archive.metadata.name} is gone without having been deleted`)
    }
    return lost
  }

  /** Two days old beside a newer one that is whole, or failed before it. */
  #isOld(archive: BackupArchive, whole: readonly BackupArchive[]): boolean {
    const isPast = whole.some((each) => isSame(each, archive) && momentOf(each) > momentOf(archive))
    if (!isPast || this.#ended.has(archive.spec.databaseUid)) return false
    return isVerified(archive) ? this.isAged(archive.metadata.uid) : hasFailed(archive)
  }

  /** The Job of a backup that failed stays with it, without its keys. */
  async #leftOfJobs(live: readonly BackupArchive[]): Promise<string[]> {
    const failed = new Set(live.filter((each) => !isVerified(each)).map(({ metadata }) => `${metadata.name}-backup`))
    const { client } = this.#records
    const found = await Promise.all(
      [coreTypes.job, coreTypes.secret].map((type) =>
        client.list<KubeObject>(type, { namespace: this.#place.namespace, metadataOnly: true }),
      ),
    )
    const [jobs = [], secrets = []] = found.map(({ items }) => items.map(({ metadata }) => metadata.name))
    return [
      ...jobs.filter((name) => !failed.has(name)).map((name) => `Job ${name} is left`),
      ...secrets.filter((name) => /-(backup|drill|restore)$/.test(name)).map((name) => `Secret ${name} is left`),
    ]
  }

  #named(archive: string): Known[] {
    return [...this.#known.values()].filter((known) => known.archive.metadata.name === archive)
  }

  async #own<T extends Database | BackupArchive>(type: ResourceType): Promise<T[]> {
    const { items } = await this.#records.client.list<T>(type, { namespace: systemNamespace })
    return items.filter(({ spec }) => spec.project === this.#place.project)
  }
}

const isSame = (one: BackupArchive, other: BackupArchive): boolean => one.spec.databaseUid === other.spec.databaseUid

const hasNoRequester = ({ metadata, spec }: BackupArchive): boolean =>
  spec.trigger === 'Manual' && (metadata.annotations?.[annotations.askedBy] ?? '') === ''
