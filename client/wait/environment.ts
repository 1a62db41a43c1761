/** Waits until everything that one deploy of an environment accepted is ready, or has failed. */
import { ApiError } from '../api-error.ts'
import type { View } from '../../contract/operations.ts'
import type { Client } from '../client.ts'
import { failed, waitUntil, type PollOptions, type Verdict, type WaitResult } from './wait-until.ts'

type Summary = View<'apps.list'>['items'][number]
/** Services, databases and buckets of an environment, by their summaries. */
export type Summaries = readonly Summary[]

/** The shape of every list. */
interface Listed {
  readonly items: Summaries
}

export interface Place {
  readonly project: string
  readonly environment: string
}

/**
 * What the caller may see of the environment: a project token sees its services alone, and deploys only them.
 * @throws ApiError
 */
export async function readEnvironment(client: Client, place: Place, signal: AbortSignal): Promise<Summaries> {
  const unlessHidden = async (list: Promise<{ items: Summaries }>): Promise<Summaries> => {
    try {
      return (await list).items
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) return []
      throw error
    }
  }
  const lists = await Promise.all([
    client.call('apps.list', place, { signal }).then(({ items }) => items),
    unlessHidden(client.call('databases.list', place, { signal })),
    unlessHidden(client.call('object-stores.list', place, { signal })),
  ])
  return lists.flat()
}

/** What a deploy of the environment accepts. */
export const undeployed = (summaries: Summaries): Summaries =>
  summaries.filter(({ pendingChanges, state }) => pendingChanges > 0 && state !== 'deleting')

/** @param awaited what the deploy accepted, as it was before. @throws ApiError when it may not be read. */
export async function waitForEnvironment({
  client,
  place,
  awaited,
  ...options
}: PollOptions<Listed> & { client: Client; place: Place; awaited: Summaries }): Promise<WaitResult<Listed>> {
  return await waitUntil<Listed>({
    ...options,
    read: async (signal) => {
      const now = await readEnvironment(client, place, signal)
      return { items: now.filter((each) => awaited.some((it) => isSame(it, each))) }
    },
    judge: ({ items }) => judgeEnvironment(items, awaited),
    waitingFor: ({ items }) =>
      openOf(items)
        .map(({ name, message }) => withReason(name, message))
        .join('; '),
  })
}

const isSame = (one: Summary, other: Summary): boolean => one.kind === other.kind && one.name === other.name

/**
 * Over when nothing of it is on its way. Before the deploy each had changes that were not deployed, so a state that
 * was there before shows them still.
 */
export function judgeEnvironment(now: Summaries, awaited: Summaries): Verdict {
  if (openOf(now).length > 0) return { kind: 'waiting' }
  const lost = awaited
    .filter((each) => !now.some((it) => isSame(it, each)))
    .map(({ name }) => `${name}: it was deleted`)
  const bad = now
    .filter(({ state }) => state !== 'ready')
    .map(({ name, state, message }) => withReason(name, state === 'deleting' ? 'it is being deleted' : message))
  return lost.length + bad.length === 0 ? { kind: 'complete' } : failed([...bad, ...lost].join('; '))
}

/** What is still on its way. */
export const openOf = (now: Summaries): Summaries =>
  now.filter(({ state, pendingChanges }) => state !== 'deleting' && (pendingChanges > 0 || !ended.has(state)))

const ended: ReadonlySet<string> = new Set(['ready', 'failed'])

const withReason = (name: string, reason: string): string => (reason === '' ? name : `${name}: ${reason}`)
