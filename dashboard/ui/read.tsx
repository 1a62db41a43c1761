/**
 * The states of a read: loading, failed, forbidden, gone; what was read before stays while a newer answer is missing.
 */
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { sentenceOf, statusOf } from '../data/api.ts'
import { Button } from './button.tsx'
import { Empty, Notice, Skeleton } from './notice.tsx'
import { exactTime } from './time.tsx'

interface Props<Data> {
  readonly of: UseQueryResult<Data>
  /** For sentences: `the services`. */
  readonly what: string
  readonly loading?: ReactNode
  readonly gone?: ReactNode
  readonly children: (data: Data) => ReactNode
}

export function Shown<Data>({ of: read, what, loading, gone, children }: Props<Data>) {
  const retry = (
    <Button small onClick={() => void read.refetch()} busy={read.isFetching}>
      Try again
    </Button>
  )
  if (read.data !== undefined && !(read.isError && statusOf(read.error) === 404)) {
    return (
      <>
        {read.isError && (
          <div className="mb-3">
            <Notice kind="warning" action={retry}>
              As of {exactTime(new Date(read.dataUpdatedAt).toISOString())}: {what} could not be read again (
              {sentenceOf(read.error)}).
            </Notice>
          </div>
        )}
        {children(read.data)}
      </>
    )
  }
  if (!read.isError) return loading ?? <Skeleton label={`Loading ${what}`} />
  const status = statusOf(read.error)
  if (status === 404) return gone ?? <Empty title="Not here">There is no such resource, or it was deleted.</Empty>
  if (status === 403)
    return <Empty title="Not for your role">{`You may not read ${what}: ${sentenceOf(read.error)}.`}</Empty>
  return (
    <Notice kind="failed" action={retry}>
      {what.charAt(0).toUpperCase() + what.slice(1)} could not be read: {sentenceOf(read.error)}.
    </Notice>
  )
}
