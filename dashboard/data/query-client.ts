/** What was read, by operation and parameters, so that events find what they concern. */
import { QueryClient } from '@tanstack/react-query'
import type { ParamsInput } from '../../contract/operations.ts'
import { statusOf, UnreachableError, type Callable } from './api.ts'

export type ReadKey<Id extends Callable = Callable> = readonly [id: Id, params: ParamsInput<Id>]

const retries = 2

/** Nothing is read again by time: the change stream says what is stale. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 120_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (failures, error) =>
        failures < retries && (error instanceof UnreachableError || (statusOf(error) ?? 0) >= 500),
      retryDelay: (failures) => 400 * 2 ** failures,
    },
  },
})
