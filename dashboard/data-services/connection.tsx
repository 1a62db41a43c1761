/** How a database is reached: without its password, which is shown on request, logged, and hidden again by itself. */
import type { View } from '../../contract/operations.ts'
import { call, type Callable } from '../data/api.ts'
import { useRead } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Empty, Notice } from '../ui/notice.tsx'
import { Facts, Panel } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { useRevealed } from '../ui/revealed.ts'

type Connection = View<'databases.connection'>
type Kind = Extract<Callable, 'databases.connection' | 'logical-databases.connection'>

export function ConnectionPanel({ id, name, made }: { id: Kind; name: string; made: boolean }) {
  const { canMutate } = useMe()
  const params = id === 'databases.connection' ? { db: name } : { logicalDatabase: name }
  const connection = useRead<Kind>(id, params, { enabled: canMutate && made })
  const shown = useRevealed<Connection>(() => call(id, { ...params, reveal: true }))
  return (
    <Panel
      title="Connection"
      note="a reveal is logged"
      actions={
        canMutate &&
        made && (
          <Button small onClick={() => (shown.value === undefined ? void shown.reveal() : shown.hide())}>
            {shown.value === undefined ? 'Reveal the password' : 'Hide'}
          </Button>
        )
      }
    >
      {shown.failed !== undefined && <Notice kind="failed">{shown.failed}</Notice>}
      {!canMutate ? (
        <Empty title="Not for your role">Only administrators read connection details.</Empty>
      ) : !made ? (
        <p className="text-sm text-muted">There are no connection details before it was made.</p>
      ) : (
        <Shown
          of={connection}
          what="the connection"
          gone={<p className="text-sm text-muted">There are no connection details yet.</p>}
        >
          {({ host, port, database, username }) => (
            <Facts
              rows={[
                ['Host', <Copyable key="host" text={host} what="the host" />],
                ['Port', port],
                ['Database', <Copyable key="database" text={database} what="the database" />],
                ['User', <Copyable key="user" text={username} what="the user" />],
                ['Password', <Secret key="password" text={shown.value?.password} what="the password" />],
                ['Address', <Secret key="uri" text={shown.value?.uri} what="the address with the password" />],
              ]}
            />
          )}
        </Shown>
      )}
    </Panel>
  )
}

const Secret = ({ text, what }: { text: string | undefined; what: string }) =>
  text === undefined ? <span className="text-muted">hidden</span> : <Copyable text={text} what={what} />
