/** Logs: live and followed until the reader scrolls up, of the crash before, and out of the stored history. */
import { useDeferredValue, useMemo, useState, useSyncExternalStore } from 'react'
import type { View } from '../../contract/operations.ts'
import { useRead } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { CopyButton } from '../ui/copy.tsx'
import { inputClass } from '../ui/field.tsx'
import { Empty, Notice } from '../ui/notice.tsx'
import { Shown } from '../ui/read.tsx'
import { followLogs, type ShownLine } from './log-lines.ts'
import { LogList } from './log-list.tsx'
import type { ServiceProps } from './service-props.ts'

const modes = { live: 'Live', previous: 'Before the last crash', history: 'History of a day' } as const
type Mode = keyof typeof modes
const levels = ['', 'error', 'warn', 'info', 'debug']

export function Logs({ app, detail }: ServiceProps) {
  const { role } = useMe()
  const [mode, setMode] = useState<Mode>('live')
  const [text, setText] = useState('')
  const [level, setLevel] = useState('')
  const wanted = useDeferredValue(text.toLowerCase())
  if (role !== 'admin')
    return <Empty title="Not for your role">Logs are for administrators and observers; you read the overview.</Empty>
  const filter = { text: wanted, level }
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <select
          aria-label="Which lines"
          className={`${inputClass} h-8 w-auto!`}
          value={mode}
          onChange={(event) => setMode(event.target.value as Mode)}
        >
          {Object.entries(modes).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
        <input
          type="search"
          aria-label="Search in the lines"
          placeholder="Search"
          className={`${inputClass} h-8 w-56!`}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <select
          aria-label="Level"
          className={`${inputClass} h-8 w-auto!`}
          value={level}
          onChange={(event) => setLevel(event.target.value)}
        >
          {levels.map((each) => (
            <option key={each} value={each}>
              {each === '' ? 'every level' : each}
            </option>
          ))}
        </select>
      </div>
      {mode === 'live' && <Live app={app} filter={filter} />}
      {mode === 'previous' && <Previous app={app} filter={filter} />}
      {mode === 'history' && <History app={app} project={detail.resource.project} filter={filter} />}
    </div>
  )
}

interface Filter {
  readonly text: string
  readonly level: string
}

const passes =
  ({ text, level }: Filter) =>
  (line: ShownLine): boolean =>
    line.marker === true ||
    ((level === '' || line.level === level) && (text === '' || line.line.toLowerCase().includes(text)))

function Live({ app, filter }: { app: string; filter: Filter }) {
  const source = useMemo(() => followLogs(app), [app])
  const { lines, follow, dropped } = useSyncExternalStore(source.subscribe, source.snapshot)
  const found = useMemo(
    () => (filter.text === '' && filter.level === '' ? lines : lines.filter(passes(filter))),
    [lines, filter.text, filter.level],
  )
  return (
    <>
      <p role="status" className="flex items-center gap-2 text-xs text-muted">
        {follow.phase === 'lost'
          ? `Not following: ${follow.why}`
          : follow.phase === 'open'
            ? 'Following'
            : 'Connecting'}
        <span className="tabular-nums">
          {found.length} {found.length === 1 ? 'line' : 'lines'}
          {dropped > 0 && `, ${dropped} older ones dropped`}
        </span>
        <CopyButton text={found.map(({ t, line }) => `${t} ${line}`).join('\n')} what="the lines" />
      </p>
      {found.length === 0 ? (
        <Empty title="No lines yet">
          {lines.length > 0
            ? 'None of the lines passes the filter.'
            : 'The copies have written nothing, or none runs. New lines appear here.'}
        </Empty>
      ) : (
        <LogList lines={found} follows />
      )}
    </>
  )
}

const numbered = (lines: View<'apps.logs'>['lines']): ShownLine[] => lines.map((line, serial) => ({ ...line, serial }))

function Previous({ app, filter }: { app: string; filter: Filter }) {
  const logs = useRead('apps.logs', { app, tail: 1000, previous: true })
  return (
    <Shown of={logs} what="the lines">
      {({ lines, note }) => (
        <Fixed lines={lines} filter={filter} note={note} empty="No copy crashed, or its lines are gone with its pod." />
      )}
    </Shown>
  )
}

function History({ app, project, filter }: { app: string; project: string; filter: Filter }) {
  const history = useRead('projects.logs-history', { project, service: app, limit: 1000 })
  return (
    <Shown of={history} what="the history">
      {({ available, message = '', lines }) =>
        available ? (
          <Fixed lines={lines} filter={filter} note="" empty="Nothing was written within a day." />
        ) : (
          <Empty title="No history">{message}</Empty>
        )
      }
    </Shown>
  )
}

function Fixed({
  lines,
  filter,
  note,
  empty,
}: {
  lines: View<'apps.logs'>['lines']
  filter: Filter
  note: string
  empty: string
}) {
  const found = numbered(lines).filter(passes(filter))
  return (
    <>
      {note !== '' && <Notice kind="info">{note}</Notice>}
      {found.length === 0 ? <Empty title="No lines">{empty}</Empty> : <LogList lines={found} follows={false} />}
    </>
  )
}
