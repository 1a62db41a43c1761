/** Reads and writes as hooks. A read's key is its operation and its parameters, so events find what they concern. */
import {
  keepPreviousData,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { defined } from '../../contract/defined.ts'
import type { ParamsInput, View } from '../../contract/operations.ts'
import { call, callForVersion, UnreachableError, type Answer, type Callable } from './api.ts'
import { readAfter, readAgain } from './own-writes.ts'
import { untilFollowed, useStreamState } from './stream-state.ts'

async function read<Id extends Callable>(id: Id, params: ParamsInput<Id>, signal: AbortSignal): Promise<Answer<Id>> {
  await untilFollowed()
  return await callForVersion(id, params, { signal })
}

export interface ReadOptions {
  readonly enabled?: boolean
  /** Keep what the earlier parameters gave until the new answer is there. */
  readonly keep?: boolean
  /** For reads of what no event reports, such as metrics. */
  readonly everyMs?: number
}

/** No event reports these: they are read again when they are shown, and when the page is looked at again. */
const unreported: ReadonlySet<Callable> = new Set<Callable>([
  'tokens.list',
  'users.list',
  'settings.registry',
  'apps.deploy-key',
  'apps.git-webhook',
])

export type Read<Id extends Callable> = UseQueryResult<View<Id>>

export function useRead<Id extends Callable>(
  id: Id,
  params: ParamsInput<Id>,
  { enabled = true, keep = false, everyMs }: ReadOptions = {},
): Read<Id> {
  // The types of the library know no key of a union: what comes is the view of this very operation.
  return useQuery({
    queryKey: [id, params],
    queryFn: ({ signal }) => read(id, params, signal),
    select: viewOf,
    enabled,
    ...(unreported.has(id) ? { refetchOnMount: 'always', refetchOnWindowFocus: 'always' } : {}),
    ...(keep ? { placeholderData: keepPreviousData } : {}),
    ...defined({ refetchInterval: everyMs }),
  }) as Read<Id>
}

const viewOf = ({ view }: Answer<Callable>) => view
const versionOf = ({ version }: Answer<Callable>) => version

/** What a form needs to save fields that others may change as well. */
export interface Edit {
  /** Version of the record as the page shows it now. */
  readonly version: string | undefined
  /** Saves what was changed in that version; refused when the record has another one. */
  readonly save: (changed: Record<string, unknown>, version: string | undefined) => Promise<void>
  /** Reads the record again. */
  readonly reload: () => Promise<void>
}

/**
 * The write `id` of the record that the read `of` shows with `params`, which name it in both; afterwards what it
 * changed is read again.
 */
export function useEdit<Of extends Callable>(id: Callable, of: Of, params: ParamsInput<Of>): Edit {
  const client = useQueryClient()
  const queryKey = [of, params]
  const { data: version } = useQuery({
    queryKey,
    queryFn: ({ signal }) => read(of, params, signal),
    select: versionOf,
  })
  return {
    version,
    reload: () => client.invalidateQueries({ queryKey, exact: true, refetchType: 'active' }),
    async save(changed, ifMatch) {
      // The form judged the fields by the schema of this operation.
      await call(id, { ...params, ...changed }, { ifMatch })
      await readAfter(id, params)
    },
  }
}

export type Write<Id extends Callable> = UseMutationResult<View<Id>, Error, ParamsInput<Id>>

/**
 * A write; afterwards what it changed is read again: `touches`, or what is known of the operation. That it had no
 * answer is said until the page is live again, and shows what became of it.
 */
export function useWrite<Id extends Callable>(id: Id, { touches }: { touches?: readonly Callable[] } = {}): Write<Id> {
  const write = useMutation<View<Id>, Error, ParamsInput<Id>>({
    mutationKey: [id],
    mutationFn: (params) => call(id, params),
    retry: false,
    networkMode: 'always',
    onSuccess: (_answer, params) => (touches === undefined ? readAfter(id, params) : readAgain(touches)),
  })
  const { phase } = useStreamState()
  const wasLost = useRef(false)
  useEffect(() => {
    if (phase === 'open' && wasLost.current && write.error instanceof UnreachableError) write.reset()
    wasLost.current = phase === 'lost'
  }, [phase, write])
  return write
}
