/**
 * What the logs of a service and those of a project share: the choice of lines, following them, and lines that rest.
 */
import { useDeferredValue, useMemo, useState, useSyncExternalStore, type ReactNode } from 'react'
import type { ParamsInput } from '../../contract/operations.ts'
import { CopyButton } from '../ui/copy.tsx'
import { inputClass } from '../ui/field.tsx'
import { Empty, Notice, Skeleton } from '../ui/notice.tsx'
import { followLogs, type LogLine, type LogSnapshot, type LogStream, type ShownLine } from './lines.ts'
import { LogList } from './list.tsx'

/** The most that the api hands out of the lines that are there. */
export const linesAtOnce = 1000

const modes = { live: 'Live', previous: 'Before the last crash', history: 'History of a day' } as const
export type Mode = keyof typeof modes
const levels = ['', 'error', 'warn', 'info', 'debug']

export interface Filter {
  /** Lower-cased. */
  readonly text: string
  readonly level: string
}

interface ChoiceProps {
  /** More choices, before the search. */
  readonly more?: ReactNode
  readonly children: (mode: Mode, filter: Filter) => ReactNode
}

/** Which lines are shown; what is typed filters those that the page has. */
export function LogChoice({ more, children }: ChoiceProps) {
  const [mode, setMode] = useState<Mode>('live')
  const [text, setText] = useState('')
  const [level, setLevel] = useState('')
  const wanted = useDeferredValue(text.toLowerCase())
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
        {more}
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
      {children(mode, { text: wanted, level })}
    </div>
  )
}

const passes =
  ({ text, level }: Filter) =>
  (line: ShownLine): boolean =>
    line.marker === true ||
    ((level === '' || line.level === level) && (text === '' || line.line.toLowerCase().includes(text)))

const followWords = { connecting: 'Connecting', open: 'Following', ended: 'The log has ended' } as const

interface FollowedProps<Id extends LogStream> {
  readonly id: Id
  /** Which lines are followed; `tail` is added here. */
  readonly params: ParamsInput<Id>
  readonly filter: Filter
  /** What is said while nothing was written. */
  readonly empty: string
  readonly services?: boolean
}

/** The caller gives it a key of the parameters: others are another log. */
export function Followed<Id extends LogStream>({ id, params, filter, empty, services }: FollowedProps<Id>) {
  const [source] = useState(() => followLogs(id, { ...params, tail: linesAtOnce }))
  const snapshot = useSyncExternalStore(source.subscribe, source.snapshot)
  const { lines, follow, dropped } = snapshot
  const found = useMemo(
    () => (filter.text === '' && filter.level === '' ? lines : lines.filter(passes(filter))),
    [lines, filter.text, filter.level],
  )
  return (
    <>
      <p role="status" className="flex items-center gap-2 text-xs text-muted">
        {follow.phase === 'lost' ? `Not following: ${follow.why}` : followWords[follow.phase]}
        <span className="tabular-nums">
          {found.length} {found.length === 1 ? 'line' : 'lines'}
          {dropped > 0 && `, ${dropped} older ones dropped`}
        </span>
        <CopyButton text={() => found.map(copied(services)).join('\n')} what="the lines" />
      </p>
      {found.length > 0 ? (
        <LogList lines={found} follows services={services} />
      ) : (
        <NoLines snapshot={snapshot} empty={empty} />
      )}
    </>
  )
}

const copied =
  (services: boolean | undefined) =>
  ({ t, service, line }: ShownLine): string =>
    services === true ? `${t} ${service} ${line}` : `${t} ${line}`

/** Why there is none: nothing was written is said only where the stream says so. */
function NoLines({ snapshot: { lines, follow }, empty }: { snapshot: LogSnapshot; empty: string }) {
  if (lines.length > 0) return <Empty title="No lines yet">None of the lines passes the filter.</Empty>
  if (follow.phase === 'connecting') return <Skeleton rows={6} height={28} label="Loading the lines" />
  if (follow.phase === 'lost') return <Notice kind="failed">The lines could not be read: {follow.why}.</Notice>
  return <Empty title="No lines yet">{empty}</Empty>
}

interface FixedProps {
  readonly lines: readonly LogLine[]
  readonly filter: Filter
  readonly note?: string
  readonly empty: string
  readonly services?: boolean
}

/** Lines that nothing is added to. */
export function Fixed({ lines, filter, note = '', empty, services }: FixedProps) {
  const found = lines.map((line, serial): ShownLine => ({ ...line, serial })).filter(passes(filter))
  return (
    <>
      {note !== '' && <Notice kind="info">{note}</Notice>}
      {found.length === 0 ? (
        <Empty title="No lines">{lines.length > 0 ? 'None of the lines passes the filter.' : empty}</Empty>
      ) : (
        <LogList lines={found} follows={false} services={services} />
      )}
    </>
  )
}

/** Instead of the lines, for who may not read them. */
export function NotForViewers() {
  return <Empty title="Not for your role">Logs are for administrators and observers; you read the overview.</Empty>
}
