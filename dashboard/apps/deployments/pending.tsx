/** What is saved and does not run yet, above every tab of the service. */
import { useState } from 'react'
import { useRead } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Diff, pendingText } from '../../ui/diff.tsx'
import { Discard } from '../../ui/discard.tsx'

const boxClass = 'rounded-lg border border-draft/60 bg-draft-tint px-4 py-2 text-sm text-draft'

export function Pending({ app }: { app: string }) {
  const pending = useRead('apps.pending', { app })
  const [open, setOpen] = useState(false)
  // There is something: its place is taken, so that nothing moves once it is known.
  if (pending.isLoading)
    return (
      <div className={boxClass}>
        <div className="shimmer h-7 w-64 max-w-full" />
      </div>
    )
  if (pending.data === undefined || pending.data.pending.length === 0) return null
  const { pending: words } = pending.data
  return (
    <section aria-label="Pending changes" className={boxClass}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span>
          Not deployed yet: <strong className="font-semibold">{pendingText(words)}</strong>
        </span>
        <span className="flex gap-2">
          <Button small aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Hide' : 'Show'} changes
          </Button>
          {!words.includes('created') && <Discard kind="app" name={app} pending={words} />}
        </span>
      </div>
      {open && (
        <div className="mt-3 rounded border border-line bg-raised p-3 text-ink">
          <Diff diff={pending.data} />
        </div>
      )}
    </section>
  )
}
