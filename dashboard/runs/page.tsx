/** Every operation that runs or ran, by resource, outcome and who asked; the address holds the filter. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { runKinds, runOutcomes } from '../../contract/runs/words.ts'
import { useTokenNames } from '../data/actors.ts'
import { useRead } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { Button } from '../ui/button.tsx'
import { inputClass } from '../ui/field.tsx'
import { Empty, Skeleton } from '../ui/notice.tsx'
import { PageHead, Panel, Table } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { Ago, Lasting } from '../ui/time.tsx'
import { Outcome, type Run } from './outcome.tsx'

/** That a run opened or ended is no change of a record, so there is no event of it. */
const everyMs = 3000

export function RunsPage() {
  const { role } = useMe()
  return (
    <div className="flex flex-col gap-6">
      <PageHead
        title="Runs"
        lead="Every operation that runs or ran: who asked for it, what it did, what it waited for"
      />
      {role === 'admin' ? (
        <Runs />
      ) : (
        <Empty title="Not for your role">Runs are for administrators and observers.</Empty>
      )}
    </div>
  )
}

function Runs() {
  const filter = useSearch({ from: '/runs' })
  const [cursors, setCursors] = useState<readonly string[]>([])
  const cursor = cursors.at(-1) ?? ''
  const runs = useRead('runs.list', { ...filter, cursor }, { keep: true, everyMs })
  return (
    <Panel title="Runs" actions={<Filter onChange={() => setCursors([])} />} flush>
      <Shown
        of={runs}
        what="the runs"
        loading={
          <div className="p-4">
            <Skeleton rows={6} />
          </div>
        }
      >
        {({ items, cursor: next }) => (
          <>
            {items.length === 0 ? (
              <div className="p-4">
                <Empty title="No such runs">Temporal keeps them for as long as its namespace says.</Empty>
              </div>
            ) : (
              <Table label="Runs" head={['Resource', 'Action', 'By', 'Outcome', 'Started', 'Took', '']}>
                {items.map((run) => (
                  <Row key={run.id} run={run} />
                ))}
              </Table>
            )}
            {(next !== '' || cursors.length > 0) && (
              <div className="flex justify-end gap-2 border-t border-line p-3">
                {cursors.length > 0 && (
                  <Button small onClick={() => setCursors(cursors.slice(0, -1))}>
                    Newer
                  </Button>
                )}
                {next !== '' && (
                  <Button small onClick={() => setCursors([...cursors, next])}>
                    Older
                  </Button>
                )}
              </div>
            )}
          </>
        )}
      </Shown>
    </Panel>
  )
}

function Filter({ onChange }: { onChange: () => void }) {
  const filter = useSearch({ from: '/runs' })
  const navigate = useNavigate({ from: '/runs' })
  const set = (change: object): void => {
    onChange()
    void navigate({ search: { ...filter, ...change }, replace: true })
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Words label="Kind" words={runKinds} value={filter.kind} set={(kind) => set({ kind })} all="every kind" />
      <Words
        label="Outcome"
        words={runOutcomes}
        value={filter.outcome}
        set={(outcome) => set({ outcome })}
        all="every outcome"
      />
      {(['resource', 'actor'] as const).map((field) => (
        <input
          key={field}
          type="search"
          aria-label={field === 'resource' ? 'Name of the resource' : 'Who asked'}
          placeholder={field === 'resource' ? 'Resource' : 'Who asked'}
          className={`${inputClass} h-8 w-40!`}
          defaultValue={filter[field] ?? ''}
          onChange={({ target }) => set({ [field]: target.value === '' ? undefined : target.value })}
        />
      ))}
    </div>
  )
}

interface WordsProps<Word extends string> {
  readonly label: string
  readonly words: readonly Word[]
  readonly value: Word | undefined
  readonly set: (word: Word | undefined) => void
  readonly all: string
}

function Words<Word extends string>({ label, words, value, set, all }: WordsProps<Word>) {
  return (
    <select
      aria-label={label}
      className={`${inputClass} h-8 w-auto!`}
      value={value ?? ''}
      onChange={({ target }) => set(words.find((word) => word === target.value))}
    >
      <option value="">{all}</option>
      {words.map((word) => (
        <option key={word} value={word}>
          {word}
        </option>
      ))}
    </select>
  )
}

function Row({ run: { id, kind, resource, action, actor, outcome, startedAt, endedAt } }: { run: Run }) {
  const named = useTokenNames()
  return (
    <tr>
      <td className="font-medium wrap-anywhere">
        {resource} <span className="text-xs font-normal text-muted">{kind}</span>
      </td>
      <td className="whitespace-nowrap">{action === '' ? <span className="text-muted">look</span> : action}</td>
      <td className="min-w-32 wrap-anywhere">
        {actor === '' ? <span className="text-muted">svc</span> : named(actor)}
      </td>
      <td>
        <Outcome outcome={outcome} />
      </td>
      <td className="whitespace-nowrap">
        <Ago at={startedAt} />
      </td>
      <td className="whitespace-nowrap">
        <Lasting from={startedAt} to={endedAt} />
      </td>
      <td className="text-right">
        <Link
          to="/runs/$run"
          params={{ run: id }}
          className="text-accent underline"
          aria-label={`Steps of ${resource}`}
        >
          Steps
        </Link>
      </td>
    </tr>
  )
}
