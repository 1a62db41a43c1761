/** Runs one statement on a database: it only reads until writing is allowed for this one statement. */
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { View } from '../../contract/operations.ts'
import { call, sentenceOf } from '../data/api.ts'
import { useMe } from '../data/session.ts'
import { Button } from '../ui/button.tsx'
import { CheckField, TextArea } from '../ui/field.tsx'
import { Empty, Notice } from '../ui/notice.tsx'
import { Panel, Table } from '../ui/panel.tsx'

type Answer = View<'databases.query'>
type Cell = Answer['rows'][number][number]

export function QueryPanel({ db, engine, made }: { db: string; engine: string; made: boolean }) {
  const { canMutate } = useMe()
  return (
    <Panel title="Query" note="its text is not logged, that it ran is" flush>
      {!canMutate ? (
        <Empty title="Not for your role">Only administrators run queries.</Empty>
      ) : !made ? (
        <p className="p-4 text-sm text-muted">There is nothing to ask before it was made.</p>
      ) : (
        <Pane db={db} engine={engine} />
      )}
    </Panel>
  )
}

function Pane({ db, engine }: { db: string; engine: string }) {
  const [text, setText] = useState('')
  const [write, setWrite] = useState(false)
  const { run, stop, running, answer, failed } = useQuery(db)
  const ready = text.trim() !== ''
  const isRedis = engine === 'redis'
  // What is allowed to write is one statement, not the next one, too.
  const ask = () => {
    if (running || !ready) return
    run(text, write)
    setWrite(false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) ask()
  }
  return (
    <>
      <div className="flex flex-col gap-3 p-4">
        <TextArea
          label={isRedis ? 'Command' : 'Statement'}
          hint="Ctrl-Enter runs it"
          rows={4}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <CheckField
          label="Let it write"
          hint={isRedis ? 'For this command; others may only read' : 'For this statement; a read is rolled back'}
          checked={write}
          onChange={(event) => setWrite(event.target.checked)}
        />
        <div className="flex flex-wrap items-center gap-2">
          <Button
            kind={write ? 'danger' : 'plain'}
            busy={running}
            why={ready ? undefined : `Write a ${isRedis ? 'command' : 'statement'} first`}
            onClick={ask}
          >
            {write ? 'Run and write' : 'Run'}
          </Button>
          {running && <Button onClick={stop}>Stop</Button>}
        </div>
        {failed !== undefined && <Notice kind="failed">{failed}</Notice>}
        {answer !== undefined && (
          <p role="status" className="text-sm text-muted">
            {summary(answer)}
          </p>
        )}
      </div>
      {answer !== undefined && answer.columns.length > 0 && <Rows answer={answer} />}
    </>
  )
}

/** One query at a time; one that runs ends at the server when it is stopped and when the page is left. */
function useQuery(db: string) {
  const current = useRef<AbortController>(undefined)
  const [running, setRunning] = useState(false)
  const [answer, setAnswer] = useState<Answer>()
  const [failed, setFailed] = useState<string>()
  useEffect(() => () => current.current?.abort(), [])
  const ask = async (query: string, write: boolean) => {
    const asked = new AbortController()
    current.current = asked
    setRunning(true)
    setAnswer(undefined)
    setFailed(undefined)
    try {
      setAnswer(await call('databases.query', { db, query, ...(write ? { write } : {}) }, { signal: asked.signal }))
    } catch (error) {
      setFailed(asked.signal.aborted ? 'Stopped' : sentenceOf(error))
    } finally {
      setRunning(false)
    }
  }
  return {
    run: (query: string, write: boolean) => void ask(query, write),
    stop: () => current.current?.abort(),
    running,
    answer,
    failed,
  }
}

function summary({ rows, columns, truncated, affected, elapsedMs }: Answer): string {
  const count = affected ?? rows.length
  const what = `${count} ${count === 1 ? 'row' : 'rows'}${affected === undefined ? '' : ' changed'}`
  const done = columns.length === 0 && affected === undefined ? 'Done' : what
  return `${truncated ? `The first ${what}; there are more` : done} · ${Math.round(elapsedMs)} ms`
}

function Rows({ answer: { columns, rows } }: { answer: Answer }) {
  return (
    <Table label="Answer" head={columns.map(({ name }) => name)}>
      {rows.map((row, at) => (
        <tr key={at}>
          {row.map((value, column) => (
            <td key={column} className="max-w-96 truncate font-mono text-xs" title={titleOf(value, columns[column])}>
              {value === null ? <span className="text-muted">NULL</span> : String(value)}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  )
}

/** The whole value, which its cell may cut, and its type. */
const titleOf = (value: Cell, column: Answer['columns'][number] | undefined): string =>
  `${String(value ?? 'NULL')} (${column?.type ?? ''})`
