/**
 * A deploy attempt: the stages of its build, and its steps with their time and how long each took; the last one ticks
 * while it goes on.
 */
import { Check, CircleDot, Flag, OctagonX } from 'lucide-react'
import { isBuildSection } from '../../../contract/fields/words.ts'
import { useTokenNames } from '../../data/actors.ts'
import { useRead } from '../../data/queries.ts'
import { useMe } from '../../data/session.ts'
import { Empty } from '../../ui/notice.tsx'
import { Shown } from '../../ui/read.tsx'
import { exactTime, Lasting } from '../../ui/time.tsx'
import { LiveBuildStages } from '../builds/build-log.tsx'
import { BuildStages } from '../builds/build-stages.tsx'
import { stagesOf } from '../builds/stages.ts'

interface Step {
  readonly at: string
  readonly text: string
  readonly kind: 'accepted' | 'step' | 'succeeded' | 'failed'
}

/** `2026-11-23T10:00:00Z accepted: First deploy (deploy by admin)` */
export function stepsOf(lines: readonly string[]): Step[] {
  return lines.flatMap((line) => {
    const [, at, text] = /^(\S+) (.*)$/.exec(line) ?? []
    if (at === undefined || text === undefined || Number.isNaN(Date.parse(at))) return []
    const kind = text.startsWith('accepted:')
      ? 'accepted'
      : text.startsWith('Succeeded:')
        ? 'succeeded'
        : text.startsWith('Failed:')
          ? 'failed'
          : 'step'
    return [{ at, text, kind } as const]
  })
}

interface Props {
  readonly app: string
  readonly id: string
  /** What the attempt waits for, while it goes on. */
  readonly waitsFor?: string | undefined
}

export function Timeline({ app, id, waitsFor }: Props) {
  const { role } = useMe()
  const named = useTokenNames()
  const logs = useRead('apps.deployment-logs', { app, id }, { enabled: role === 'admin' })
  const last = useRead('apps.status', { app }).data?.lastAttempt
  const isRunning = last?.id === id && last.phase === 'Running'
  if (role !== 'admin')
    return <Empty title="Not for your role">The steps of a deploy are for administrators and observers.</Empty>
  return (
    <Shown
      of={logs}
      what="the steps of the deploy"
      gone={<Empty title="The record is gone">Of each service the last 12 deployments are kept.</Empty>}
    >
      {({ sections }) => {
        const steps = stepsOf(sections.find((section) => section.id === 'deploy')?.lines ?? [])
        const pods = sections.filter((section) => section.id !== 'deploy' && !isBuildSection(section.id))
        const stages = stagesOf(sections, steps)
        return (
          <div className="flex flex-col gap-4">
            {isRunning && stages.length > 0 ? (
              <LiveBuildStages app={app} id={id} steps={steps} />
            ) : (
              <BuildStages stages={stages} />
            )}
            <ol aria-label="Steps of the deploy" className="flex flex-col">
              {steps.map((step, index) => (
                <Row
                  key={`${step.at} ${step.text}`}
                  step={{ ...step, text: named(step.text) }}
                  next={steps[index + 1]?.at}
                  last={index === steps.length - 1}
                />
              ))}
              {waitsFor !== undefined && (
                <li className="grid grid-cols-[1.5rem_1fr] gap-x-2">
                  <span className="mt-1 size-4 rounded-full border-2 border-dashed border-pending" />
                  <span className="pb-3 text-sm">{waitsFor === '' ? 'Under way' : `Waits: ${waitsFor}`}</span>
                </li>
              )}
            </ol>
            {pods.map(({ id: section, title, lines }) => (
              <figure key={section}>
                <figcaption className="mb-1 text-xs font-medium text-muted">{title}: its last lines</figcaption>
                <pre
                  tabIndex={0}
                  className="max-h-64 overflow-auto rounded border border-line bg-subtle p-3 font-mono text-xs"
                >
                  {lines.join('\n')}
                </pre>
              </figure>
            ))}
          </div>
        )
      }}
    </Shown>
  )
}

const icons = {
  accepted: <Flag size={16} aria-hidden className="text-accent" />,
  step: <CircleDot size={16} aria-hidden className="text-muted" />,
  succeeded: <Check size={16} aria-hidden className="text-ready" />,
  failed: <OctagonX size={16} aria-hidden className="text-failed" />,
}

function Row({ step: { at, text, kind }, next, last }: { step: Step; next: string | undefined; last: boolean }) {
  const ended = kind === 'succeeded' || kind === 'failed'
  return (
    <li className="grid grid-cols-[1.5rem_1fr_auto] gap-x-2">
      <span className="flex flex-col items-center">
        <span className="mt-0.5">{icons[kind]}</span>
        {!(last && ended) && <span className="my-1 w-px flex-1 bg-line" />}
      </span>
      <span className="min-w-0 pb-3 text-sm wrap-anywhere">
        {text}
        <time dateTime={at} className="block text-xs text-muted tabular-nums">
          {exactTime(at)}
        </time>
      </span>
      <span className="text-xs text-muted">{ended ? null : <Lasting from={at} to={next} />}</span>
    </li>
  )
}
