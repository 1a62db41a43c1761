/** Zones and their records at the provider. */
import { type FoundRecord, type WantedRecord, markOf } from '../../kinds/platform/dns-records.ts'
import type { Zone } from '../../kinds/platform/zone.ts'
import { type ProviderApi, ProviderFailure } from './call.ts'

const zonesPerPage = 50
const recordsPerPage = 100
/** The provider chooses the TTL. */
const automatic = 1

/** Every page of a list. */
async function everyPage<T>(
  api: ProviderApi,
  path: string,
  query: Record<string, string>,
  perPage: number,
): Promise<T[]> {
  const all: T[] = []
  for (let page = 1; ; page += 1) {
    const search = new URLSearchParams({ ...query, page: String(page), per_page: String(perPage) })
    const { result, pages } = await api.call<T[]>('GET', `${path}?${search.toString()}`)
    all.push(...result)
    if (page >= pages || result.length === 0) return all
  }
}

/** The zones of the account that the token may read; also the check of a token. */
export async function visibleZones(api: ProviderApi, accountId: string): Promise<Zone[]> {
  const zones = await everyPage<Zone>(api, '/zones', { 'account.id': accountId }, zonesPerPage)
  return zones.map(({ id, name }) => ({ id, name }))
}

/** Records that this install made, with any name. */
export async function ownRecords(api: ProviderApi, zone: string, install: string): Promise<FoundRecord[]> {
  const query = { 'comment.startswith': `${markOf(install)} ` }
  return everyPage<FoundRecord>(api, recordsPath(zone), query, recordsPerPage)
}

/** Every record of a name, including those that svc did not make. */
export async function recordsOf(api: ProviderApi, zone: string, name: string): Promise<FoundRecord[]> {
  return everyPage<FoundRecord>(api, recordsPath(zone), { 'name.exact': name }, recordsPerPage)
}

export async function createRecord(api: ProviderApi, zone: string, record: WantedRecord): Promise<void> {
  await api.call('POST', recordsPath(zone), { ...record, ttl: automatic })
}

export async function updateRecord(api: ProviderApi, zone: string, id: string, record: WantedRecord): Promise<void> {
  await api.call('PATCH', recordPath(zone, id), { ...record, ttl: automatic })
}

/** An absent record counts as removed. */
export async function removeRecord(api: ProviderApi, zone: string, id: string): Promise<void> {
  try {
    await api.call('DELETE', recordPath(zone, id))
  } catch (error) {
    if (!(error instanceof ProviderFailure && error.kind === 'not-found')) throw error
  }
}

const recordsPath = (zone: string): string => `/zones/${encodeURIComponent(zone)}/dns_records`
const recordPath = (zone: string, id: string): string => `${recordsPath(zone)}/${encodeURIComponent(id)}`
