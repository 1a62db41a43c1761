/**
 * One caller's database, logical database or bucket in a kill run: created, edited, disturbed and deleted at random;
 * keeps what the caller was promised.
 */
import type { V1Secret } from '@kubernetes/client-node'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { type Provisioned, provisionPlan } from '../../kinds/provision/plan.ts'
import type { TestRecords } from '../harness/records.ts'
import { Caller } from './caller.ts'
import { type DataPlace, type DataScenario, homeOfRecord } from './data-scenarios.ts'
import { holdsInTime } from './insist.ts'
import type { Chance } from './seeded.ts'

export interface DataNeeds {
  records: TestRecords
  place: DataPlace
  /** Every secret value that was ever generated for a caller. */
  secrets: Set<string>
  /** Reports a breach at once. */
  report: (breach: string) => void
}

type Wish = 'edit' | 'disturb' | 'delete'

const weights: Readonly<Record<Wish, number>> = { edit: 45, disturb: 25, delete: 30 }
/** Keys of a connection Secret whose values may be nowhere else. */
const hiddenKeys = ['password', 'uri', 'secretKey']
/** Keys of a connection Secret that must not change while the record exists. */
const lastingKeys = ['username', 'password', 'accessKey', 'secretKey', 'bucket', 'host', 'database']

/** A slot of any kind. */
export type AnyDataSlot = Caller & {
  readonly name: string | undefined
  /** Every name that a record of this slot had. */
  readonly formerNames: readonly string[]
}

export class DataSlot<T extends Provisioned & KubeObject> extends Caller {
  readonly #needs: DataNeeds
  readonly #scenario: DataScenario<T>
  readonly #prefix: string
  readonly formerNames: string[] = []
  #lives = 0
  #now: { name: string; uid: string; given: string } | undefined

  constructor(needs: DataNeeds, scenario: DataScenario<T>, prefix: string, chance: Chance) {
    super(chance)
    this.#needs = needs
    this.#scenario = scenario
    this.#prefix = prefix
  }

  get name(): string | undefined {
    return this.#now?.name
  }

  protected async change(): Promise<void> {
    await (this.#now === undefined ? this.#create() : this.#changeMade(this.#now.name))
  }

  async #create(): Promise<void> {
    // Half of the new records reuse the name of the one before; each is a new record nonetheless.
    if (this.#lives === 0 || this.chance.percent(50)) this.#lives += 1
    const name = `${this.#prefix}-${this.#lives}`
    const wanted = this.#scenario.make(name, this.#needs.place)
    const made = await this.insist(async () => (await this.#store.readLive(name)) ?? (await this.#store.create(wanted)))
    if (!this.formerNames.includes(name)) this.formerNames.push(name)
    this.#now = { name, uid: made.metadata.uid ?? '', given: '' }
  }

  async #changeMade(name: string): Promise<void> {
    const wish = this.chance.weighed(weights)
    if (wish === 'delete') return await this.#delete(name)
    if (wish === 'disturb') return await this.#disturb(name)
    const { edit } = this.#scenario
    if (edit === undefined) return
    const chance = this.chance
    const found = await this.insist(() => this.#store.readLive(name))
    if (found === undefined) return
    const { spec } = edit(found, chance)
    await this.insist(() => this.#store.edit(name, (record) => ({ ...record, spec })))
  }

  /** Deletes by hand what svc made for the record. */
  async #disturb(name: string): Promise<void> {
    const found = await this.insist(() => this.#store.readLive(name))
    const [first, ...others] = this.#scenario.losable(name)
    if (found === undefined || first === undefined) return
    const { type, name: lost } = this.chance.pick([first, ...others])
    if (!this.#scenario.keepsLogin && this.#now !== undefined) this.#now.given = ''
    await this.insist(() =>
      this.#needs.records.client.delete(
        { type, namespace: homeOfRecord(found), name: lost },
        { propagation: 'Background' },
      ),
    )
  }

  async #delete(name: string): Promise<void> {
    const uid = this.#now?.uid ?? ''
    await this.insist(() => this.#store.remove(name, uid))
    this.#now = undefined
    const gone = await holdsInTime(async () => (await this.#store.readLive(name))?.metadata.uid !== uid)
    if (!gone) this.#needs.report(`${name} is not gone: ${await this.#described(name)}`)
  }

  protected async untilReconciled(): Promise<void> {
    const now = this.#now
    if (now === undefined) return
    if (!(await holdsInTime(() => this.#isThere(now))))
      this.#needs.report(`${now.name} has not ended: ${await this.#described(now.name)}`)
  }

  async #isThere(now: { name: string; given: string }): Promise<boolean> {
    const record = await this.#store.readLive(now.name)
    if (record === undefined) return false
    if (
      provisionPlan(this.#scenario.rules, now.name, record).story !== 'rest' ||
      readyOf(record.status?.conditions)?.status !== 'True'
    )
      return false
    const { client } = this.#needs.records
    for (const { type, name } of this.#scenario.losable(now.name)) {
      const made = await client.get<KubeObject>({ type, namespace: homeOfRecord(record), name })
      if (made === undefined || made.metadata.deletionTimestamp !== undefined) return false
      if (made.metadata.labels?.[labels.owner] !== record.metadata.uid) return false
    }
    const name = connectionSecretName(now.name)
    const data =
      (await client.get<Sent<V1Secret>>({ type: coreTypes.secret, namespace: homeOfRecord(record), name }))?.data ?? {}
    for (const key of hiddenKeys)
      if (data[key] !== undefined) this.#needs.secrets.add(Buffer.from(data[key], 'base64').toString())
    const given = JSON.stringify(lastingKeys.map((key) => data[key]))
    if (now.given !== '' && now.given !== given)
      this.#needs.report(`${now.name}: the connection it was given has changed`)
    now.given = given
    return true
  }

  get #store() {
    return this.#scenario.store(this.#needs.records)
  }

  async #described(name: string): Promise<string> {
    const record = this.#store.cache.get(name, systemNamespace)
    return record === undefined
      ? 'no record'
      : JSON.stringify({ plan: provisionPlan(this.#scenario.rules, name, record), status: record.status })
  }
}
