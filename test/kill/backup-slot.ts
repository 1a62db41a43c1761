/**
 * One caller's database with backups in a kill run: written to, backed up, its backups restored, drilled, dated back
 * and deleted, and itself deleted with a last backup, at random. Each of these ends; one that fails was hit by a kill.
 */
import { isLostRace } from '../../cluster/objects/errors.ts'
import { isDrillDue } from '../../kinds/backup-archives/drills.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { backupJobName, drillJobName, lastArchiveName, restoreJobName } from '../../kinds/backup-archives/names.ts'
import { archiveState, isVerified } from '../../kinds/backup-archives/rules.ts'
import { hasFailed } from '../../kinds/backup-archives/schedule.ts'
import { databaseState } from '../../kinds/databases/draft.ts'
import { type Database, databaseSpec } from '../../kinds/databases/kind.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { TestRecords } from '../harness/records.ts'
import type { Call } from './acceptor-calls.ts'
import { askUntilAccepted } from './ask.ts'
import { agedMs, type BackupPlace, BackupJudge } from './backup-breaches.ts'
import { Caller } from './caller.ts'
import { holdsInTime } from './insist.ts'
import type { Chance } from './seeded.ts'
import type { World } from './world.ts'

export interface BackupNeeds {
  world: World
  records: TestRecords
  place: BackupPlace
  /** Reports a breach at once. */
  report: (breach: string) => void
}

interface Life {
  name: string
  uid: string
  /** Whether it was ready: from then on it is backed up. */
  isUp: boolean
}

const weights = { write: 8, backup: 30, restore: 20, drill: 12, age: 12, forget: 8, delete: 10 } as const

export class BackupSlot extends Caller {
  readonly #needs: BackupNeeds
  readonly #prefix: string
  readonly judge: BackupJudge
  #lives = 0
  #now: Life | undefined
  /** Drills and databases whose end was looked at. */
  readonly #seen = new Set<string>()
  restored = 0
  drilled = 0

  constructor(needs: BackupNeeds, prefix: string, chance: Chance) {
    super(chance)
    this.#needs = needs
    this.#prefix = prefix
    this.judge = new BackupJudge(needs.records, needs.place, () => needs.world.outside.minio())
  }

  protected async change(): Promise<void> {
    // A new one has its first backup, and a drill of that, before anything else is asked for.
    if (this.#now === undefined) await this.#create().then(() => this.untilReconciled())
    const now = this.#now
    if (now === undefined) return
    const wish = this.chance.weighed(weights)
    if (wish === 'delete') return await this.#delete(now)
    if (wish === 'write' || !now.isUp) return await this.#put(now.name)
    const own = (await this.insist(() => this.judge.look())).filter(isVerified)
    const [one, ...others] = own.filter(({ metadata }) => !this.judge.isAged(metadata.uid))
    if (wish === 'backup' || one === undefined) return await this.#backUp(now)
    const { name, uid = '' } = this.chance.pick([one, ...others]).metadata
    if (wish === 'restore') return void (await this.#ask({ verb: 'restore', name }))
    if (wish === 'drill') return await this.#drill(name)
    if (wish === 'age') return await this.#age(own)
    this.judge.forget(uid)
    await this.#ask({ verb: 'delete-backup', name })
  }

  protected async untilReconciled(): Promise<void> {
    let missing = ''
    const holds = async (): Promise<boolean> => (missing = await this.#missing()) === ''
    if (!(await holdsInTime(holds))) {
      this.#needs.report(`${this.#prefix} lacks ${missing}`)
      return
    }
    if (this.#now !== undefined) this.#now.isUp = true
    await this.insist(() => this.judge.look())
    await this.#judgeRestored()
  }

  async #create(): Promise<void> {
    const { records, place, world } = this.#needs
    // Half of the new databases reuse the name of the one before; each is a new one nonetheless.
    if (this.#lives === 0 || this.chance.percent(50)) this.#lives += 1
    const name = `${this.#prefix}-${this.#lives}`
    world.outside.backups.playIn(place.namespace, place.engine)
    await world.outside.backups.forget(name)
    const spec = {
      project: place.project,
      environment: place.environment,
      engine: place.engine,
      storageSize: '1Gi',
      backups: { enabled: true, retentionDays: 1 },
      deploy: { enabled: true },
    }
    const wanted = {
      apiVersion,
      kind: resourceTypes.database.kind,
      metadata: { name, namespace: systemNamespace },
      spec: databaseSpec.parse(spec),
    }
    // Empty, it would have nothing that a restore could be known by.
    await this.#put(name)
    const { databases } = records
    const made = await this.insist(async () => (await databases.readLive(name)) ?? (await databases.create(wanted)))
    this.#now = { name, uid: made.metadata.uid ?? '', isUp: false }
    this.judge.born(this.#now.uid)
  }

  /** The next word, which backups from now on may hold, and from the end of this on do. */
  async #put(name: string): Promise<void> {
    const word = this.judge.nextWord()
    const { place, world } = this.#needs
    const server = await world.outside.backups.server(name, place.engine)
    await this.insist(() => server.put(word))
  }

  async #backUp({ name }: Life): Promise<void> {
    const archive = await this.#ask({ verb: 'backup', name })
    this.judge.asked(archive)
  }

  /** As the comparison of all records asks for one. */
  async #drill(name: string): Promise<void> {
    const asked = new Date().toISOString()
    await this.insist(() =>
      this.#needs.records.backupArchives.edit(name, (current) => ({
        ...current,
        metadata: { ...current.metadata, annotations: { ...current.metadata.annotations, [annotations.drill]: asked } },
      })),
    )
  }

  /** All of them come to be two days old: whatever is whole beside a newer one is to go. */
  async #age(archives: readonly BackupArchive[]): Promise<void> {
    const { client } = this.#needs.records
    for (const { metadata, status } of archives) {
      if (this.judge.isAged(metadata.uid)) continue
      const before = (time = '') => new Date(Date.parse(time) - agedMs).toISOString()
      const points = {
        firstRestorePoint: before(status?.firstRestorePoint),
        lastRestorePoint: before(status?.lastRestorePoint),
      }
      this.judge.age(metadata.uid)
      const ref = { type: resourceTypes.backupArchive, namespace: systemNamespace, name: metadata.name }
      await this.insist(() =>
        client
          .patch(ref, { metadata: { uid: metadata.uid }, status: points }, { subresource: 'status' })
          .catch(passGone),
      )
    }
  }

  async #delete({ name, uid, isUp }: Life): Promise<void> {
    const { records, report, world } = this.#needs
    const backupFirst = this.chance.percent(75)
    const call = { verb: 'delete-database', name, backupFirst } as const
    this.#now = undefined
    await this.#ask(call)
    const last = lastArchiveName(name, uid)
    let message = ''
    const isGone = async (): Promise<boolean> => {
      const live = await records.databases.readLive(name)
      if (live?.metadata.uid !== uid) return true
      message = readyOf(live.status?.conditions)?.message ?? ''
      // As its message says.
      const isRefused =
        message.startsWith('the last backup failed: ') && world.outside.backups.wasHit(backupJobName(last))
      if (isRefused) await this.#ask(call)
      return false
    }
    if (!(await holdsInTime(isGone))) return report(`${name} is not gone: ${message}`)
    this.judge.end(uid)
    await world.outside.backups.forget(name)
    if (!backupFirst || !isUp) return
    const archive = await this.insist(() => records.backupArchives.readLive(last))
    if (archive === undefined || !isVerified(archive)) report(`${name} is gone without its last backup ${last}`)
  }

  async #missing(): Promise<string> {
    const { name, uid } = this.#now ?? { name: '', uid: '' }
    const databases = await this.judge.databases()
    const own = databases.find(({ metadata }) => metadata.uid === uid)
    if (name !== '' && own === undefined) return `the record of ${name}`
    const open = databases.find((each) => !isAtEnd(each, each === own ? ['ready'] : ['ready', 'failed']))
    if (open !== undefined) return `an end of ${open.metadata.name}: ${JSON.stringify(open.status)}`
    const archive = (await this.judge.archives()).find((each) => !this.#hasEnded(each))
    return archive === undefined ? '' : `an end of backup ${archive.metadata.name}: ${JSON.stringify(archive.status)}`
  }

  #hasEnded(archive: BackupArchive): boolean {
    const { metadata, spec, status } = archive
    const { wasHit } = this.#needs.world.outside.backups
    if (metadata.deletionTimestamp !== undefined || isDrillDue(archive)) return false
    if (!isVerified(archive)) {
      if (!hasFailed(archive)) return false
      if (!wasHit(backupJobName(metadata.name)) && !this.judge.isEnded(spec.databaseUid))
        this.#reportOnce(metadata.uid ?? '', `backup ${metadata.name} failed: ${archiveState(archive).message}`)
      return true
    }
    const { drill } = status ?? {}
    if (drill !== undefined) this.#judgeDrill(metadata.name, drill)
    return archiveState(archive).state === 'ready'
  }

  #judgeDrill(name: string, { asked, outcome, message }: NonNullable<NonNullable<BackupArchive['status']>['drill']>) {
    if (this.#seen.has(`${name} ${asked}`)) return
    this.drilled += 1
    if (outcome === 'Proven' || this.#needs.world.outside.backups.wasHit(drillJobName(name)))
      this.#seen.add(`${name} ${asked}`)
    else this.#reportOnce(`${name} ${asked}`, `the drill of backup ${name} failed: ${message}`)
  }

  #reportOnce(key: string, breach: string): void {
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    this.#needs.report(breach)
  }

  /** A restored database that is ready has the data of its backup; all of them go. */
  async #judgeRestored(): Promise<void> {
    const { place, report, world } = this.#needs
    const { backups } = world.outside
    for (const { metadata, spec, status } of await this.insist(() => this.judge.databases())) {
      const { name } = metadata
      if (metadata.uid === this.#now?.uid) continue
      const from = spec.restoreFrom?.archive ?? ''
      if (status?.restored !== undefined) {
        const server = await backups.server(name, place.engine)
        const word = await this.insist(() => server.take())
        if (!this.judge.mayHold(from, word)) report(`${name} was restored from ${from} and holds ${word}`)
        this.restored += 1
      } else if (!backups.wasHit(restoreJobName(name)) && !this.judge.wasForgotten(from))
        report(`${name} was not restored from ${from}: ${readyOf(status?.conditions)?.message}`)
      await this.#ask({ verb: 'delete-database', name, backupFirst: false })
      const isGone = async () => (await this.judge.databases()).every((each) => each.metadata.uid !== metadata.uid)
      if (!(await holdsInTime(isGone))) report(`${name} is not gone`)
      await backups.forget(name)
    }
  }

  async #ask(call: Call): Promise<string> {
    const attempt = await askUntilAccepted(this.#needs.world, call, this.chance.whole(2))
    this.accepted += 1
    return attempt
  }
}

function isAtEnd(database: Database, states: readonly string[]): boolean {
  return database.metadata.deletionTimestamp === undefined && states.includes(databaseState(database).state)
}

/** Another caller, or the comparison of all records, has removed it. */
function passGone(error: unknown): void {
  if (!isLostRace(error)) throw error
}
