/** The stages of a build: how each is, how long it took, and what it wrote. */
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { durationText } from '../../data/clock.ts'
import { StateWord, type ShownState } from '../../ui/state.tsx'
import { Lasting } from '../../ui/time.tsx'
import type { BuildStep, Stage, StageState } from './stages.ts'

const looks: Readonly<Record<StageState, readonly [state: ShownState, word: string]>> = {
  ready: ['ready', 'Done'],
  cached: ['ready', 'From the cache'],
  pending: ['pending', 'Goes on'],
  failed: ['failed', 'Failed'],
  stopped: ['draft', 'Stopped'],
}

export function BuildStages({ stages }: { stages: readonly Stage[] }) {
  if (stages.length === 0) return null
  return (
    <ol aria-label="Stages of the build" className="flex flex-col gap-2">
      {stages.map((stage) => (
        <li key={stage.id}>
          <Opened title={stage.title} state={stage.state} took={<Took {...stage} />}>
            <StageBody stage={stage} />
          </Opened>
        </li>
      ))}
    </ol>
  )
}

function Took({ state, from, to }: Stage) {
  if (from === undefined || (to === undefined && state !== 'pending')) return null
  return <Lasting from={from} to={to} />
}

/** What goes on or failed is open at first. */
function Opened(props: { title: string; state: StageState; took: ReactNode; children: ReactNode }) {
  const { title, state, took, children } = props
  const [open, setOpen] = useState(state === 'pending' || state === 'failed')
  const [shown, word] = looks[state]
  return (
    <details
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="rounded border border-line"
    >
      <summary className="cursor-pointer px-3 py-1.5 text-sm">
        <span className="inline-flex w-[calc(100%-1.5rem)] flex-wrap items-center justify-between gap-x-3 align-middle">
          <span className="min-w-0 wrap-anywhere">{title}</span>
          <span className="inline-flex items-center gap-3 text-xs text-muted">
            {took}
            <StateWord state={shown} word={word} />
          </span>
        </span>
      </summary>
      <div className="flex flex-col gap-2 border-t border-line p-3">{children}</div>
    </details>
  )
}

function StageBody({ stage: { title, steps, lines, state } }: { stage: Stage }) {
  if (steps.length === 0 && lines.length === 0)
    return (
      <p className="text-sm text-muted">
        {state === 'pending' ? 'It has written nothing yet.' : 'Of it no lines are kept.'}
      </p>
    )
  return (
    <>
      {steps.map((step) => (
        <Step key={step.number} step={step} />
      ))}
      {lines.length > 0 && <Lines of={title} lines={lines} follows={state === 'pending'} />}
    </>
  )
}

function Step({ step: { title, state, seconds, lines } }: { step: BuildStep }) {
  return (
    <Opened
      title={title}
      state={state}
      took={seconds === undefined ? null : <span className="tabular-nums">{durationText(seconds * 1000)}</span>}
    >
      {lines.length === 0 ? (
        <p className="text-sm text-muted">It wrote nothing.</p>
      ) : (
        <Lines of={title} lines={lines} follows={state === 'pending'} />
      )}
    </Opened>
  )
}

/** So near to the end counts as at the end. */
const atEndPx = 40

interface LinesProps {
  readonly of: string
  readonly lines: readonly string[]
  /** Shows the end as it grows, until the reader scrolls up. */
  readonly follows: boolean
}

function Lines({ of, lines, follows }: LinesProps) {
  const box = useRef<HTMLPreElement>(null)
  const [following, setFollowing] = useState(follows)
  useEffect(() => {
    if (following && box.current !== null) box.current.scrollTop = box.current.scrollHeight
  }, [following, lines])
  return (
    <pre
      ref={box}
      tabIndex={0}
      role="group"
      aria-label={`Lines of ${of}`}
      className="max-h-80 overflow-auto rounded bg-subtle p-3 font-mono text-xs"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
        setFollowing(follows && scrollHeight - scrollTop - clientHeight < atEndPx)
      }
    >
      {lines.join('\n')}
    </pre>
  )
}
