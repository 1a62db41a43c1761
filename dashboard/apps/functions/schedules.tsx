/** The schedules of a function: their next runs, how the last ones ended, running one now, adding and removing one. */
import { useState } from 'react'
import { functionTrigger } from '../../../contract/apps/fields.ts'
import type { ParamsInput, View } from '../../../contract/operations.ts'
import { sentenceOf } from '../../data/api.ts'
import { useEdit, useRead, useWrite } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { EditForm } from '../../ui/edit-form.tsx'
import { Empty, Notice, Skeleton } from '../../ui/notice.tsx'
import { Panel, Table } from '../../ui/panel.tsx'
import { Shown } from '../../ui/read.tsx'
import { RemoveButton } from '../../ui/remove.tsx'
import { listOf } from '../../ui/spec.ts'
import { StateWord, type ShownState } from '../../ui/state.tsx'
import { Ago, exactTime } from '../../ui/time.tsx'
import type { ServiceProps } from '../service-props.ts'

type Schedule = View<'apps.schedules'>['items'][number]
type Run = Schedule['runs'][number]
type Triggers = NonNullable<ParamsInput<'apps.update'>['functionTriggers']>

/** There is no event of a run. */
const everyMs = 4000

export function Schedules({ app, detail: { spec } }: ServiceProps) {
  const schedules = useRead('apps.schedules', { app }, { everyMs })
  const edit = useEdit('apps.update', 'apps.get', { app })
  const [made, setMade] = useState(0)
  const saved = listOf(spec, 'source.function.triggers') as Triggers
  const save = (functionTriggers: Triggers) => edit.save({ functionTriggers }, edit.version)
  return (
    <Panel title="Schedules" note="times are UTC; saved ones start with the next deploy" flush>
      <Shown
        of={schedules}
        what="the schedules"
        loading={
          <div className="p-4">
            <Skeleton rows={2} label="Loading the schedules" />
          </div>
        }
      >
        {({ items }) =>
          items.length === 0 ? (
            <div className="p-4">
              <Empty title="No schedules">With one, svc calls the function by itself at its times.</Empty>
            </div>
          ) : (
            <ul className="divide-y divide-line">
              {items.map((item) => (
                <Item
                  key={item.name}
                  app={app}
                  item={item}
                  remove={() => save(saved.filter(({ name }) => name !== item.name))}
                />
              ))}
            </ul>
          )
        }
      </Shown>
      <div className="border-t border-line p-4">
        <EditForm
          key={made}
          whole
          button="Add the schedule"
          schema={functionTrigger}
          values={{ name: '', schedule: '', path: '/', payload: '' }}
          fields={[
            { name: 'name', label: 'Name', placeholder: 'nightly' },
            {
              name: 'schedule',
              label: 'When',
              placeholder: '0 3 * * *',
              hint: 'Five-field cron in UTC, or @hourly and the like',
            },
            { name: 'path', label: 'Path that is called' },
            { name: 'payload', label: 'Payload', kind: 'area', hint: 'JSON that is posted; left empty, none' },
          ]}
          save={async (params) => {
            await save([...saved, params as Triggers[number]])
            setMade(made + 1)
          }}
        />
      </div>
    </Panel>
  )
}

const stateWords: Readonly<Record<Schedule['state'], string>> = {
  active: '',
  starts: 'starts with the next deploy',
  changes: 'changes with the next deploy',
  ends: 'ends with the next deploy',
}

function Item({ app, item, remove }: { app: string; item: Schedule; remove: () => Promise<void> }) {
  const { name, schedule, path, state, next, failures, runs } = item
  const run = useWrite('apps.schedule-run', { touches: ['apps.schedules'] })
  return (
    <li aria-label={name} className="flex flex-col gap-3 p-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <p className="font-medium">
            {name} <code className="ml-1 font-mono text-xs font-normal">{schedule}</code>
            {stateWords[state] !== '' && (
              <span className="ml-2 rounded bg-draft-tint px-1.5 py-0.5 text-xs font-normal text-draft">
                {stateWords[state]}
              </span>
            )}
          </p>
          <p className="text-xs text-muted">
            calls <code className="font-mono">{path}</code>
            {failures > 1 && `; the last ${failures} runs came to nothing`}
          </p>
        </div>
        <span className="flex gap-2">
          <Button
            small
            busy={run.isPending}
            aria-label={`Run now: ${name}`}
            why={state === 'starts' ? 'Deploy the function to run it' : undefined}
            onClick={() => run.mutate({ app, schedule: name })}
          >
            Run now
          </Button>
          {state !== 'ends' && (
            <RemoveButton name={name} act={remove}>
              {state === 'starts' ? 'It has not begun to run.' : 'It runs at its times until the next deploy.'}
            </RemoveButton>
          )}
        </span>
      </div>
      {run.isError && <Notice kind="failed">{sentenceOf(run.error)}</Notice>}
      {run.isSuccess && <p className="text-xs text-ready">Begun.</p>}
      <Next next={next} />
      <Runs of={name} runs={runs} />
    </li>
  )
}

function Next({ next }: { next: readonly string[] }) {
  if (next.length === 0) return null
  return (
    <p className="text-xs text-muted">
      Next:{' '}
      {next.map((at, index) => (
        <span key={at}>
          {index > 0 && ', '}
          <time dateTime={at} title={exactTime(at)} className="tabular-nums">
            {at.slice(0, 16).replace('T', ' ')}
          </time>
        </span>
      ))}
    </p>
  )
}

const phases: Readonly<Record<Run['phase'], ShownState>> = {
  Succeeded: 'ready',
  Failed: 'failed',
  Unknown: 'pending',
  Skipped: 'draft',
  Missed: 'deleting',
}

function Runs({ of, runs }: { of: string; runs: readonly Run[] }) {
  if (runs.length === 0) return <p className="text-xs text-muted">It has not run yet.</p>
  return (
    <Table label={`Runs of ${of}`} head={['Planned', 'Outcome', 'Status', 'Took', 'Why']}>
      {runs.map(({ plannedAt, phase, ms, status, message, times }) => (
        <tr key={`${plannedAt} ${phase}`}>
          <td className="whitespace-nowrap">
            <Ago at={plannedAt} />
          </td>
          <td className="whitespace-nowrap">
            <StateWord state={phases[phase]} word={times === undefined ? phase : `${phase}, ${times} times`} />
          </td>
          <td className="tabular-nums">{status ?? <span className="text-muted">none</span>}</td>
          <td className="whitespace-nowrap tabular-nums">
            {ms === undefined ? <span className="text-muted">not called</span> : `${ms} ms`}
          </td>
          <td className="min-w-40 text-muted">{message}</td>
        </tr>
      ))}
    </Table>
  )
}
