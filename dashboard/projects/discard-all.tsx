/** Discards what is pending in all services of an environment, once it was said which. */
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../data/api.ts'
import { ConfirmButton } from '../ui/confirm.tsx'
import type { PendingDiff } from '../ui/diff.tsx'
import { titleOf } from '../ui/resources.tsx'

/** Only a service that was deployed has something to go back to. */
const canBeDiscarded = ({ kind, pending }: PendingDiff): boolean => kind === 'app' && !pending.includes('created')

export function DiscardAll({ items }: { items: readonly PendingDiff[] }) {
  const client = useQueryClient()
  const found = items.filter(canBeDiscarded)
  const discard = async () => {
    try {
      for (const { name } of found) await call('apps.discard', { app: name })
    } finally {
      // What was discarded before a refusal stays so.
      void client.invalidateQueries({ refetchType: 'active' })
    }
  }
  return (
    <ConfirmButton
      label="Discard all"
      title="Discard all changes?"
      verb="Discard them"
      keep="Keep them"
      why={found.length === 0 ? 'No service that runs has changes to discard' : undefined}
      act={discard}
    >
      <p className="text-muted">
        These go back to what runs, but for secret values that were replaced. What was created stays as a draft.
      </p>
      <ul className="mt-1 list-disc pl-5">
        {found.map((item) => (
          <li key={item.name}>{titleOf(item)}</li>
        ))}
      </ul>
    </ConfirmButton>
  )
}
