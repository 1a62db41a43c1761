/** One run: who asked, each step with its time, what it waits for, and why it ended so. */
import { Link, useParams } from '@tanstack/react-router'
import { AlarmClock, Bell, CircleDot, OctagonX } from 'lucide-react'
import type { View } from '../../contract/operations.ts'
import { runOperations } from '../../contract/runs/operations.ts'
import { useTokenNames } from '../data/actors.ts'
import { useRead } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { buttonClass } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Empty, Notice } from '../ui/notice.tsx'
import { Facts, PageHead, Panel } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { kinds } from '../ui/resources.tsx'
import { Ago, exactTime, Lasting } from '../ui/time.tsx'
import { Outcome } from './outcome.tsx'
import { ToSubject } from './to-subject.tsx'

type Detail = View<'runs.get'>
type Step = Detail['steps'][number]

/** There are no events of the steps of a run. */
const everyMs = 3000

export function RunPage() {
  const { role } = useMe()
  const { run } = useParams({ from: '/runs/$run' })
  // An address that can be of no run is not asked for: the api would refuse its form.
  if (!runOperations['runs.get'].params.safeParse({ run }).success) return <NoSuchRun />
  if (role === 'admin') return <OneRun run={run} />
  return (
    <div className="flex flex-col gap-4">
      <PageHead title="Run" />
      <Empty title="Not for your role">Runs are for administrators and observers.</Empty>
    </div>
  )
}

function NoSuchRun() {
  return (
    <div className="flex flex-col gap-4">
      <PageHead title="No such run" />
      <Empty
        title="It is kept no more, or never was"
        action={
          <Link to="/runs" search={{}} className={buttonClass()}>
            To the runs
          </Link>
        }
      >
        Temporal keeps runs for as long as its namespace says.
      </Empty>
    </div>
  )
}

function OneRun({ run }: { run: string }) {
  const detail = useRead('runs.get', { run }, { everyMs })
  const named = useTokenNames()
  return (
    <Shown of={detail} what="the run" gone={<NoSuchRun />}>
      {(seen) => (
        <div className="flex flex-col gap-6">
          <PageHead
            title={seen.resource}
            lead={`${seen.action === '' ? 'look' : seen.action} by ${seen.actor === '' ? 'svc itself' : named(seen.actor)}`}
            badge={<Outcome outcome={seen.outcome} />}
            actions={<ToSubject run={seen} />}
          />
          {seen.failure !== undefined && <Notice kind="failed">{seen.failure}</Notice>}
          <Panel title="Steps" note={seen.shortened ? 'the earliest are left out' : undefined}>
            <ol aria-label="Steps of the run" className="flex flex-col">
              {seen.steps.map((step, at) => (
                <StepRow key={`${step.at} ${at}`} step={{ ...step, text: named(step.text) }} />
              ))}
            </ol>
          </Panel>
          <Panel title="Where to find it">
            <RunFacts run={seen} />
          </Panel>
        </div>
      )}
    </Shown>
  )
}

function RunFacts({ run }: { run: Detail }) {
  const { id, workflow, kind, continues, startedAt, endedAt, project, page } = run
  return (
    <Facts
      rows={[
        ['Started', <Ago key="at" at={startedAt} />],
        ['Took', <Lasting key="took" from={startedAt} to={endedAt} />],
        ...(project === '' || kind === 'project'
          ? []
          : [
              [
                'Project',
                <Link key="project" {...kinds.project.link(project)} className="text-accent underline">
                  {project}
                </Link>,
              ] as const,
            ]),
        ['Workflow ID', <Copyable key="workflow" text={workflow} what="the workflow ID" />],
        ['Run ID', <Copyable key="run" text={id} what="the run ID" />],
        ...(page === undefined
          ? []
          : [
              [
                'At Temporal',
                <a key="page" href={page} rel="noreferrer" target="_blank" className="text-accent underline">
                  the page of this run
                </a>,
              ] as const,
            ]),
        ...(continues === undefined
          ? []
          : [
              [
                'Goes on for',
                <Link key="former" to="/runs/$run" params={{ run: continues }} className="text-accent underline">
                  the run before
                </Link>,
              ] as const,
            ]),
      ]}
    />
  )
}

const icons = {
  woken: <Bell size={16} aria-hidden className="text-muted" />,
  did: <CircleDot size={16} aria-hidden className="text-accent" />,
  waited: <AlarmClock size={16} aria-hidden className="text-pending" />,
}

function wordsOf({ kind, text, endedAt, attempts }: Step): string {
  const lead = { woken: 'Woken: ', did: '', waited: endedAt === undefined ? 'Waits: ' : 'Waited: ' }[kind]
  return `${lead}${text}${attempts === undefined ? '' : ` (attempt ${attempts})`}`
}

function StepRow({ step }: { step: Step }) {
  const { kind, at, endedAt, result, error } = step
  return (
    <li className="grid grid-cols-[1.5rem_1fr_auto] gap-x-2">
      <span className="flex flex-col items-center">
        <span className="mt-0.5">
          {error === undefined ? icons[kind] : <OctagonX size={16} aria-hidden className="text-failed" />}
        </span>
        <span className="my-1 w-px flex-1 bg-line" />
      </span>
      <span className="min-w-0 pb-3 text-sm wrap-anywhere">
        {wordsOf(step)}
        {result !== undefined && <span className="block">{result}</span>}
        {error !== undefined && <span className="block text-failed">{error}</span>}
        <time dateTime={at} className="block text-xs text-muted tabular-nums">
          {exactTime(at)}
        </time>
      </span>
      <span className="text-xs text-muted">{kind === 'woken' ? null : <Lasting from={at} to={endedAt} />}</span>
    </li>
  )
}
