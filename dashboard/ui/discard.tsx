/** Discards what is saved of a service, database or bucket and does not run yet, once it was said what. */
import { discard } from '../data/discard.ts'
import { ConfirmButton } from './confirm.tsx'
import { pendingText, type PendingDiff } from './diff.tsx'

export function Discard({ kind, name, pending }: Pick<PendingDiff, 'kind' | 'name' | 'pending'>) {
  return (
    <ConfirmButton
      label="Discard"
      small
      title={`Discard the changes of ${name}?`}
      verb="Discard them"
      keep="Keep them"
      act={() => discard({ kind, name })}
    >
      <p className="text-muted">
        It goes back to what runs{kind === 'app' ? ', but for secret values that were replaced' : ''}:{' '}
        {pendingText(pending)}.
      </p>
    </ConfirmButton>
  )
}
