/** Discards what is saved for a service and does not run yet, once it was said what. */
import { useWrite } from '../data/queries.ts'
import { ConfirmButton } from './confirm.tsx'
import { pendingText } from './diff.tsx'

interface Props {
  readonly app: string
  readonly pending: Parameters<typeof pendingText>[0]
}

export function Discard({ app, pending }: Props) {
  const discard = useWrite('apps.discard')
  return (
    <ConfirmButton
      label="Discard"
      small
      title={`Discard the changes of ${app}?`}
      verb="Discard them"
      keep="Keep them"
      act={() => discard.mutateAsync({ app })}
    >
      <p className="text-muted">
        It goes back to what runs, but for secret values that were replaced: {pendingText(pending)}.
      </p>
    </ConfirmButton>
  )
}
