/** What the last check of a setting said. */
import { Notice } from '../ui/notice.tsx'
import { StateWord } from '../ui/state.tsx'

export function Checked({
  ready,
  reason,
  message,
  configured,
}: {
  ready: boolean
  reason: string
  message: string
  configured: boolean
}) {
  if (!configured) return <p className="text-sm text-muted">Not set up.</p>
  if (ready) return <StateWord state="ready" word={`Ready (${reason})`} />
  return (
    <Notice kind="warning">
      {reason}
      {message === '' ? '' : `: ${message}`}
    </Notice>
  )
}
