/** Which DNS records the zone has to have for the platform, and how to get there from those it has. */

/** A host that needs a record, and the uid of the record of svc that asks for it. */
export interface PublicHost {
  host: string
  owner: string
}

/** The target of hosts: addresses of the cluster, or one other name. */
export type Target = { addresses: readonly string[] } | { name: string; proxied: boolean }

export interface WantedRecord {
  type: 'A' | 'AAAA' | 'CNAME'
  name: string
  content: string
  proxied: boolean
  comment: string
}

export interface FoundRecord extends Omit<WantedRecord, 'type' | 'comment'> {
  id: string
  type: string
  comment?: string | null
}

/** The prefix of the comment on every record that this install made; svc never touches other records. */
export const markOf = (install: string): string => `svc ${install}`

/** The provider allows comments of 100 characters on every plan: two uids fit. */
const commentOf = (install: string, owner: string): string => `${markOf(install)} ${owner}`

export function isOurs({ comment }: Pick<FoundRecord, 'comment'>, install: string): boolean {
  return comment?.startsWith(`${markOf(install)} `) === true
}

/** One record per host and address, or one CNAME per host; a host that two owners ask for counts for the first. */
export function wantedRecords(hosts: readonly PublicHost[], target: Target, install: string): WantedRecord[] {
  const owners = new Map(hosts.toReversed().map(({ host, owner }) => [host, owner]))
  return [...owners]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, owner]) => {
      const comment = commentOf(install, owner)
      if ('name' in target)
        return [{ type: 'CNAME' as const, name, content: target.name, proxied: target.proxied, comment }]
      return [...new Set(target.addresses)].toSorted().map((address): WantedRecord => {
        return { type: address.includes(':') ? 'AAAA' : 'A', name, content: address, proxied: false, comment }
      })
    })
}

export interface RecordPlan {
  remove: FoundRecord[]
  update: { id: string; record: WantedRecord }[]
  create: WantedRecord[]
}

/**
 * The changes from the existing records of svc to the wanted ones, as few as possible. Removals come first, since a
 * CNAME and an address of the same name exclude each other; of a record that exists twice, because an answer was lost,
 * one is removed.
 */
export function planRecords(ours: readonly FoundRecord[], wanted: readonly WantedRecord[]): RecordPlan {
  const left = new Set(ours)
  const take = (fits: (found: FoundRecord) => boolean): FoundRecord | undefined => {
    const found = [...left].find(fits)
    if (found !== undefined) left.delete(found)
    return found
  }
  const unmet = wanted.filter(
    (record) =>
      take(
        (found) =>
          recordKey(found) === recordKey(record) &&
          found.content === record.content &&
          found.proxied === record.proxied &&
          found.comment === record.comment,
      ) === undefined,
  )
  const plan: RecordPlan = { remove: [], update: [], create: [] }
  for (const record of unmet) {
    const found = take((other) => recordKey(other) === recordKey(record))
    if (found === undefined) plan.create.push(record)
    else plan.update.push({ id: found.id, record })
  }
  plan.remove = [...left]
  return plan
}

const recordKey = ({ type, name }: { type: string; name: string }): string => `${type} ${name}`
