/** Discards what is pending in an environment, once it was said of what. */
import { discardAll } from '../data/discard.ts'
import { ConfirmButton } from '../ui/confirm.tsx'
import type { PendingDiff } from '../ui/diff.tsx'
import { titleOf } from '../ui/resources.tsx'

/** Only what was deployed has something to go back to. */
export const canBeDiscarded = ({ pending }: Pick<PendingDiff, 'pending'>): boolean => !pending.includes('created')

export function DiscardAll({ items }: { items: readonly PendingDiff[] }) {
  const found = items.filter(canBeDiscarded)
  return (
    <ConfirmButton
      label="Discard all"
      title="Discard all changes?"
      verb="Discard them"
      keep="Keep them"
      why={found.length === 0 ? 'Nothing that runs has changes to discard' : undefined}
      act={() => discardAll(found)}
    >
      <p className="text-muted">
        These go back to what runs, but for secret values that were replaced. What was created stays as a draft.
      </p>
      <ul className="mt-1 list-disc pl-5">
        {found.map((item) => (
          <li key={`${item.kind}/${item.name}`}>{titleOf(item)}</li>
        ))}
      </ul>
    </ConfirmButton>
  )
}
