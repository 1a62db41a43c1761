/** Logs: live and followed until the reader scrolls up, of the crash before, and out of the stored history. */
import { useRead } from '../../data/queries.ts'
import { useMe } from '../../data/session.ts'
import { Fixed, Followed, linesAtOnce, LogChoice, NotForViewers, type Filter } from '../../logs/view.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Shown } from '../../ui/read.tsx'
import type { ServiceProps } from '../service-props.ts'

export function Logs({ app, detail }: ServiceProps) {
  const { role } = useMe()
  if (role !== 'admin') return <NotForViewers />
  return (
    <LogChoice>
      {(mode, filter) =>
        mode === 'live' ? (
          <Followed
            key={app}
            id="apps.logs-stream"
            params={{ app }}
            filter={filter}
            empty="The copies have written nothing, or none runs. New lines appear here."
          />
        ) : mode === 'previous' ? (
          <Previous app={app} filter={filter} />
        ) : (
          <History app={app} project={detail.resource.project} filter={filter} />
        )
      }
    </LogChoice>
  )
}

function Previous({ app, filter }: { app: string; filter: Filter }) {
  const logs = useRead('apps.logs', { app, tail: linesAtOnce, previous: true })
  return (
    <Shown of={logs} what="the lines">
      {({ lines, note }) => (
        <Fixed lines={lines} filter={filter} note={note} empty="No copy crashed, or its lines are gone with its pod." />
      )}
    </Shown>
  )
}

function History({ app, project, filter }: { app: string; project: string; filter: Filter }) {
  const history = useRead('projects.logs-history', { project, service: app, limit: linesAtOnce })
  return (
    <Shown of={history} what="the history">
      {({ available, message = '', lines }) =>
        available ? (
          <Fixed lines={lines} filter={filter} empty="Nothing was written within a day." />
        ) : (
          <Empty title="No history">{message}</Empty>
        )
      }
    </Shown>
  )
}
