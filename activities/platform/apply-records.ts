/** Brings the DNS records of a zone to the wanted hosts; changes only records that this install created. */
import { isOurs, planRecords, type PublicHost, type Target, wantedRecords } from '../../kinds/platform/dns-records.ts'
import { isWithin, type Zone } from '../../kinds/platform/zone.ts'
import type { ProviderApi } from '../../outside/dns-provider/call.ts'
import { createRecord, ownRecords, recordsOf, removeRecord, updateRecord } from '../../outside/dns-provider/zones.ts'

export interface RecordsWanted {
  zone: Zone
  install: string
  hosts: readonly PublicHost[]
  target: Target
  /** Milliseconds since the epoch, after which no further change is begun. */
  until: number
  clock: () => number
}

export interface RecordsOutcome {
  /** Number of changes that were not begun before `until`. */
  left: number
  /** Hosts that have records of another owner with another target. */
  foreign: string[]
}

/** Idempotent: a repetition goes on where a worker died. Throws ProviderFailure. */
export async function applyRecords(
  api: ProviderApi,
  { zone, install, hosts, target, until, clock }: RecordsWanted,
): Promise<RecordsOutcome> {
  const inside = hosts.filter(({ host }) => isWithin(host, zone.name))
  const ours = (await ownRecords(api, zone.id, install)).filter((record) => isOurs(record, install))
  const { remove, update, create } = planRecords(ours, wantedRecords(inside, target, install))
  const foreign = new Set<string>()
  const changes = [
    ...remove.map((record) => () => removeRecord(api, zone.id, record.id)),
    ...update.map(
      ({ id, record }) =>
        () =>
          updateRecord(api, zone.id, id, record),
    ),
    ...create.map((record) => async () => {
      // No record beside another owner's: resolvers would split requests between both.
      const others = (await recordsOf(api, zone.id, record.name)).filter(
        (other) => !isOurs(other, install) && ['A', 'AAAA', 'CNAME'].includes(other.type),
      )
      if (others.some(({ content }) => content !== record.content)) foreign.add(record.name)
      if (others.length === 0) await createRecord(api, zone.id, record)
    }),
  ]
  let left = changes.length
  for (const change of changes) {
    if (clock() >= until) break
    await change()
    left -= 1
  }
  return { left, foreign: [...foreign].toSorted() }
}

/** Removes every record of this install from a zone. Throws ProviderFailure. */
export async function clearRecords(api: ProviderApi, zone: string, install: string): Promise<void> {
  for (const record of await ownRecords(api, zone, install))
    if (isOurs(record, install)) await removeRecord(api, zone, record.id)
}
