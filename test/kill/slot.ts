/**
 * One caller's service: creates, deploys, scales, rolls back and deletes it at random, one request after the other, and
 * keeps what it was promised.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { appState } from '../../kinds/apps/state.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { mintRecordName } from '../../records/apps/accept-deploy.ts'
import type { TestRecords } from '../harness/records.ts'
import type { Call } from './acceptor-calls.ts'
import { askUntilAccepted, subjectOf } from './ask.ts'
import { Caller } from './caller.ts'
import { askAgainMs, endsWithinMs } from './insist.ts'
import type { Chance } from './seeded.ts'
import type { Expected } from './service-breaches.ts'
import type { World } from './world.ts'

export interface SlotNeeds {
  world: World
  records: TestRecords
  project: string
  /** Every secret value that was ever sent. */
  secrets: Set<string>
  /** Every attempt that was accepted. */
  attempts: Set<string>
  /** Reports a breach at once. */
  report: (breach: string) => void
}

type Promised = { -readonly [Field in keyof Expected]: Expected[Field] } & { uid: string }

/** Restarts, which soon ends its attempt. */
const crashing = 'svc/hello:crash'
/** Waits until the deadline, so the slot always overtakes it. */
const missing = 'does-not-exist:1'
const isBroken = (image: string): boolean => image === crashing || image === missing
const weights = { deploy: 34, restart: 8, secret: 12, scale: 20, rollback: 10, broken: 4, delete: 12 } as const

export class Slot extends Caller {
  readonly #needs: SlotNeeds
  readonly #number: number
  #lives = 0
  #now: Promised | undefined
  /** Image and copies of each attempt, for rollbacks. */
  readonly #releases = new Map<string, { image: string; replicas: number }>()
  #unreconciled = false
  /** The service deleted last; the next one may reuse its name. */
  #buried = ''

  constructor(needs: SlotNeeds, number: number, chance: Chance) {
    super(chance)
    this.#needs = needs
    this.#number = number
  }

  get expected(): Expected | undefined {
    return this.#now
  }

  protected async change(): Promise<void> {
    const now = this.#now
    if (now === undefined) await this.#create()
    else if (now.state === 'draft') await this.#deploy(now)
    else await this.#changeRunning(now)
  }

  protected async untilReconciled(): Promise<void> {
    const now = this.#now
    if (!this.#unreconciled || now === undefined || now.state === 'draft') return
    if (now.image === missing) await this.#save(now, 'svc/hello:1').then(() => this.#deploy(now))
    const { records, report } = this.#needs
    const ended = await records.apps.cache.waitFor(
      (app: App | undefined) => app !== undefined && isThere(app, now),
      now.name,
      systemNamespace,
      {
        timeoutMs: endsWithinMs(),
      },
    )
    if (!ended)
      report(
        `${now.name} has not ended: ${described(records.apps.cache.get(now.name, systemNamespace))}, promised ${JSON.stringify(now)}`,
      )
    this.#unreconciled = false
  }

  async #changeRunning(now: Promised): Promise<void> {
    const chosen = this.chance.weighed(weights)
    // Scaling a crashing image would wait until the deadline, and with zero copies it would not fail.
    const wish = chosen === 'scale' && isBroken(now.image) ? 'deploy' : chosen
    if (wish === 'delete') return await this.#delete(now)
    if (wish === 'scale') return await this.#scale(now)
    if (wish === 'rollback') return await this.#rollBack(now)
    if (wish === 'secret') {
      const value = `unread-${this.#number}-${this.chance.whole(2 ** 31).toString(36)}-${this.chance.whole(2 ** 31).toString(36)}`
      this.#needs.secrets.add(value)
      await this.#ask({ verb: 'set-secret', name: now.name, key: 'SECRET', value })
      now.secrets = { SECRET: value }
    } else if (wish !== 'restart') {
      await this.#save(
        now,
        wish === 'broken' && now.replicas > 0
          ? this.chance.pick([crashing, missing])
          : `svc/hello:${1 + this.chance.whole(9)}`,
      )
    }
    await this.#deploy(now)
  }

  async #save(now: Promised, image: string): Promise<void> {
    now.image = image
    now.config = { VERSION: String(this.chance.whole(1000)) }
    await this.#ask({ verb: 'save', name: now.name, image, config: { ...now.config } })
  }

  async #create(): Promise<void> {
    // Half of the new services reuse the name of the one before; each is a new service nonetheless.
    if (this.#lives === 0 || this.chance.percent(50)) this.#lives += 1
    const now: Promised = {
      uid: '',
      name: `slot-${this.#number}-${this.#lives}-x`,
      state: 'draft',
      image: 'svc/hello:1',
      replicas: 1 + this.chance.whole(2),
      config: {},
      secrets: {},
      attempts: [],
    }
    this.#releases.clear()
    do
      await this.#ask({
        verb: 'create',
        name: now.name,
        project: this.#needs.project,
        image: now.image,
        replicas: now.replicas,
        config: {},
      })
    while (!(await this.#exists(now.name)))
    this.#now = now
    await this.#deploy(now)
  }

  async #deploy(now: Promised): Promise<void> {
    this.#took(now, await this.#ask({ verb: 'deploy', name: now.name, record: mintRecordName(now.name) }))
  }

  async #rollBack(now: Promised): Promise<void> {
    const known = now.attempts.slice(-8).filter((record) => !isBroken(this.#releases.get(record)?.image ?? missing))
    const revision = known[this.chance.whole(known.length)]
    const release = revision === undefined ? undefined : this.#releases.get(revision)
    if (revision === undefined || release === undefined) return
    Object.assign(now, release)
    this.#took(
      now,
      await this.#ask({ verb: 'rollback', name: now.name, revision, requestId: mintRecordName('request') }),
    )
  }

  async #scale(now: Promised): Promise<void> {
    now.replicas = this.chance.whole(4)
    await this.#ask({ verb: 'scale', name: now.name, replicas: now.replicas })
    this.#unreconciled = true
  }

  async #delete(now: Promised): Promise<void> {
    const { records, report } = this.#needs
    const { uid } = (await this.#live(now.name))?.metadata ?? {}
    await this.#ask({ verb: 'delete', name: now.name })
    const gone = await records.apps.cache.waitFor(
      (app: App | undefined) => app === undefined || app.metadata.uid !== uid,
      now.name,
      systemNamespace,
      {
        timeoutMs: endsWithinMs(),
      },
    )
    if (!gone) report(`${now.name} is not gone: ${described(records.apps.cache.get(now.name, systemNamespace))}`)
    this.#buried = uid ?? this.#buried
    this.#now = undefined
    this.#unreconciled = false
  }

  /**
   * Repeats a request until there is an answer, as a caller would; what an unanswered request did is read from the
   * record. Resolves with the effective attempt.
   */
  async #ask(call: Call): Promise<string> {
    const { world } = this.#needs
    const attempt = await askUntilAccepted(world, call, this.chance.whole(2), () => this.#readLost(call))
    this.accepted += 1
    return attempt
  }

  /** The killed process may have accepted the request. */
  async #readLost(call: Call): Promise<void> {
    const now = this.#now
    if (now === undefined || subjectOf(call) !== now.name) return
    const left = await this.#live(now.name)
    const attempt = left === undefined ? undefined : viewOf(left).attempt?.record
    if (attempt !== undefined) this.#note(now, attempt)
  }

  #took(now: Promised, attempt: string): void {
    this.#note(now, attempt)
    this.#unreconciled = true
  }

  #note(now: Promised, attempt: string): void {
    if (now.attempts.includes(attempt)) return
    now.attempts = [...now.attempts, attempt]
    now.state = isBroken(now.image) ? 'failed' : 'ready'
    this.#needs.attempts.add(attempt)
    this.#releases.set(attempt, { image: now.image, replicas: now.replicas })
  }

  /** An api whose cache is behind may still show the previous service of this name. */
  async #exists(name: string): Promise<boolean> {
    const live = await this.#live(name)
    if (live !== undefined && live.metadata.uid !== this.#buried) return true
    await sleep(askAgainMs)
    return false
  }

  async #live(name: string): Promise<App | undefined> {
    for (;;) {
      try {
        return await this.#needs.records.apps.readLive(name)
      } catch {
        await sleep(askAgainMs) // the cluster is down and comes back
      }
    }
  }
}

function isThere(app: App, now: Promised): boolean {
  const last = now.attempts.at(-1)
  return (
    viewOf(app).plan.story === 'rest' &&
    appState(app).state === now.state &&
    viewOf(app).attempt?.record === last &&
    app.status?.lastAttempt?.id === last &&
    app.spec.replicas === now.replicas &&
    app.spec.source.image?.image === now.image
  )
}

function described(app: App | undefined): string {
  return app === undefined
    ? 'no record'
    : JSON.stringify({ plan: viewOf(app).plan, state: appState(app), status: app.status })
}
