/** A terminal in a copy of the service: which copy, the terminal itself, and how it ended. */
import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useRead } from '../../data/queries.ts'
import { useMe } from '../../data/session.ts'
import { Button } from '../../ui/button.tsx'
import { inputClass } from '../../ui/field.tsx'
import { Empty, Notice, Skeleton } from '../../ui/notice.tsx'
import { Shown } from '../../ui/read.tsx'
import type { ServiceProps } from '../service-props.ts'

/** The emulator is larger than all other pages together: it comes with the first terminal. */
const TerminalScreen = lazyRouteComponent(() => import('./terminal-screen.tsx'), 'TerminalScreen')

export function Terminal({ app }: ServiceProps) {
  const { role } = useMe()
  if (role !== 'admin')
    return <Empty title="Not for your role">Terminals are for administrators; you read the overview.</Empty>
  return <Copies app={app} />
}

function Copies({ app }: { app: string }) {
  const runtime = useRead('apps.runtime', { app })
  return (
    <Shown of={runtime} what="the copies" loading={<Skeleton rows={2} label="Loading the copies" />}>
      {({ pods }) => <OneOf app={app} pods={pods.filter(({ phase }) => phase === 'Running').map(({ name }) => name)} />}
    </Shown>
  )
}

/** One terminal after the other; `serial` makes a new one of the same copy. */
interface Opened {
  readonly pod: string
  readonly serial: number
}

function OneOf({ app, pods }: { app: string; pods: readonly string[] }) {
  const [wanted, setWanted] = useState('')
  const [opened, setOpened] = useState<Opened>()
  const [ended, setEnded] = useState<string>()
  const pod = pods.includes(wanted) ? wanted : pods[0]
  const runs = opened !== undefined && ended === undefined
  // What a copy wrote last stays to be read when it is gone.
  if (pod === undefined && opened === undefined)
    return <Empty title="No copies are running">A terminal is opened in a copy that runs.</Empty>
  const open = () => {
    if (pod === undefined) return
    setEnded(undefined)
    setOpened({ pod, serial: (opened?.serial ?? 0) + 1 })
  }
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <select
          aria-label="Copy"
          className={`${inputClass} h-8 w-auto! max-w-full`}
          value={pod ?? ''}
          disabled={runs}
          onChange={(event) => setWanted(event.target.value)}
        >
          {pods.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <Button
          kind="primary"
          onClick={open}
          why={runs ? 'It is open' : pod === undefined ? 'No copy runs' : undefined}
        >
          {opened === undefined ? 'Open a terminal' : 'Open it again'}
        </Button>
        {runs && <Button onClick={() => setOpened(undefined)}>Close</Button>}
        <p className="text-xs text-muted">
          What is done here is not kept in the service: the next deploy begins from its image. The log of svc says who
          opened a terminal, never what was typed.
        </p>
      </div>
      {ended !== undefined && <Notice kind="info">{ended}</Notice>}
      {opened !== undefined && (
        <Suspense fallback={<Skeleton rows={8} label="Loading the terminal" />}>
          <TerminalScreen key={opened.serial} app={app} pod={opened.pod} onEnd={setEnded} />
        </Suspense>
      )}
    </div>
  )
}
