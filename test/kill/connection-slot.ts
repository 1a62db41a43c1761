/**
 * One caller's cloud connection in a kill run: created with its keys, whose Secret is rewritten by hand, and deleted
 * together with them.
 */
import type { V1Secret } from '@kubernetes/client-node'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { connectionRules } from '../../kinds/cloud-connections/rules.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { provisionPlan } from '../../kinds/provision/plan.ts'
import { createConnection, keysName, type NewConnection } from '../../records/cloud-connections/create-connection.ts'
import type { TestRecords } from '../harness/records.ts'
import { Caller } from './caller.ts'
import { holdsInTime } from './insist.ts'
import type { Chance } from './seeded.ts'

export interface ConnectionNeeds {
  records: TestRecords
  project: string
  /** Accounts that it may connect to, with keys that are valid there. */
  accounts: readonly [Account, ...Account[]]
  /** Reports a breach at once. */
  report: (breach: string) => void
}

export type Account = Pick<NewConnection, 'provider' | 'organization' | 'keys'>

interface Alive {
  wanted: NewConnection
  uid: string
  keysAreGood: boolean
}

export class ConnectionSlot extends Caller {
  readonly #needs: ConnectionNeeds
  readonly #number: number
  #lives = 0
  #now: Alive | undefined

  constructor(needs: ConnectionNeeds, number: number, chance: Chance) {
    super(chance)
    this.#needs = needs
    this.#number = number
  }

  protected async change(): Promise<void> {
    const now = this.#now
    if (now === undefined) await this.#create()
    else if (this.chance.percent(40)) await this.#delete(now)
    else await this.#writeKeys(now, !now.keysAreGood)
  }

  async #create(): Promise<void> {
    // Half of the new connections reuse the name of the one before; each is a new connection nonetheless.
    if (this.#lives === 0 || this.chance.percent(50)) this.#lives += 1
    const account = this.chance.pick([...this.#needs.accounts])
    const wanted = {
      ...account,
      name: `cloud-${this.#number}-${this.#lives}`,
      project: this.#needs.project,
      region: '',
    }
    const made = await this.insist(() => createConnection(this.#needs.records, wanted))
    this.#now = { wanted, uid: made.metadata.uid ?? '', keysAreGood: true }
  }

  /** Writes the keys by hand: incomplete, or valid again. */
  async #writeKeys(now: Alive, good: boolean): Promise<void> {
    const { name, keys } = now.wanted
    const data = Object.fromEntries(
      Object.entries(keys).map(([key, text], place) => [
        key,
        good || place > 0 ? Buffer.from(text).toString('base64') : '',
      ]),
    )
    await this.insist(() => this.#needs.records.client.patch<Sent<V1Secret>>(this.#secret(name), { data }))
    now.keysAreGood = good
  }

  async #delete({ wanted: { name }, uid }: Alive): Promise<void> {
    const { cloudConnections, client } = this.#needs.records
    await this.insist(() => cloudConnections.remove(name, uid))
    this.#now = undefined
    const isGone = async () =>
      (await cloudConnections.readLive(name)) === undefined &&
      (await client.get<KubeObject>(this.#secret(name))) === undefined
    if (!(await holdsInTime(isGone)))
      this.#needs.report(
        `connection ${name} or its keys are not gone: ${JSON.stringify(await cloudConnections.readLive(name))}`,
      )
  }

  protected async untilReconciled(): Promise<void> {
    const now = this.#now
    if (now === undefined) return
    const { cloudConnections } = this.#needs.records
    const { name } = now.wanted
    if (!(await holdsInTime(async () => saysAsPromised(await cloudConnections.readLive(name), now))))
      this.#needs.report(
        `connection ${name} has not ended: ${JSON.stringify((await cloudConnections.readLive(name))?.status)}`,
      )
  }

  #secret(connection: string) {
    return { type: coreTypes.secret, namespace: systemNamespace, name: keysName(connection) }
  }
}

function saysAsPromised(record: CloudConnection | undefined, { uid, keysAreGood, wanted }: Alive): boolean {
  if (record === undefined || record.metadata.uid !== uid) return false
  const reason = readyOf(record.status?.conditions)?.reason
  return (
    provisionPlan(connectionRules, wanted.name, record).story === 'rest' &&
    reason === (keysAreGood ? 'Connected' : 'CredentialsIncomplete')
  )
}
