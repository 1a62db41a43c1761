/** Whether the page is live. A lost stream is said at once and in one place, with since when. */
import { Radio, Unplug } from 'lucide-react'
import { useStreamState } from '../data/stream-state.ts'
import { Lasting } from '../ui/time.tsx'

export function StreamLine() {
  const stream = useStreamState()
  if (stream.phase === 'lost') {
    return (
      <div
        role="status"
        className="flex items-center gap-2 bg-warning-tint px-4 py-1.5 text-xs font-medium text-warning"
      >
        <Unplug size={14} aria-hidden />
        <span>
          Not live for <Lasting from={new Date(stream.since).toISOString()} />: the connection is lost, and what you see
          may be old. Trying again ({stream.tries}).
        </span>
      </div>
    )
  }
  return null
}

export function LiveMark() {
  const { phase } = useStreamState()
  const live = phase === 'open'
  return (
    <span
      title={live ? 'Changes are shown as they happen' : 'Connecting'}
      className={`hidden items-center gap-1.5 text-xs sm:inline-flex ${live ? 'text-ready' : 'text-muted'}`}
    >
      <Radio size={14} aria-hidden />
      {phase === 'lost' ? 'Not live' : live ? 'Live' : 'Connecting'}
    </span>
  )
}
