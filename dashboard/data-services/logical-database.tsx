/** A logical database: where it is carved out of, how it is reached, deleting it. */
import { useNavigate, useParams } from '@tanstack/react-router'
import type { View } from '../../contract/operations.ts'
import { useRead, useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { DeleteButton } from '../ui/confirm.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Hidden, Skeleton } from '../ui/notice.tsx'
import { Facts, Panel } from '../ui/panel.tsx'
import { Gone } from '../ui/gone.tsx'
import { Shown } from '../ui/read.tsx'
import { textOf } from '../ui/spec.ts'
import { Ago } from '../ui/time.tsx'
import { ConnectionPanel } from './connection.tsx'
import { DataHead } from './head.tsx'
import { LogicalDatabaseBackups } from './keep-backups.tsx'

/** Those on a server of their project are in the backups of that server. */
const sharedServers: ReadonlySet<string> = new Set(['shared-postgres', 'shared-mysql'])

export function LogicalDatabasePage() {
  const { name } = useParams({ from: '/logical-databases/$name' })
  const database = useRead('logical-databases.get', { logicalDatabase: name })
  return (
    <Shown
      of={database}
      what="the logical database"
      loading={<Skeleton rows={6} height={44} />}
      gone={<Gone what="logical database" name={name} />}
    >
      {(detail) => <LogicalDatabase name={name} detail={detail} />}
    </Shown>
  )
}

function LogicalDatabase({
  name,
  detail: { resource, spec, status },
}: {
  name: string
  detail: View<'logical-databases.get'>
}) {
  const { canMutate } = useMe()
  const retry = useWrite('logical-databases.retry-provision')
  const remove = useWrite('logical-databases.delete')
  const navigate = useNavigate()
  const isOnSharedServer = sharedServers.has(textOf(spec, 'serverRef'))
  return (
    <div className="flex flex-col gap-5">
      <DataHead resource={resource} retry={{ ...retry, run: () => retry.mutate({ logicalDatabase: name }) }} />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <Panel title="What it is">
          <Facts
            rows={[
              ['Name', <Copyable key="name" text={resource.name} what="the name" />],
              ['Server', textOf(spec, 'serverRef')],
              ['Database', canMutate ? textOf(spec, 'databaseName') : <Hidden key="database" />],
              [
                'Connections at most',
                canMutate ? textOf(spec, 'connectionLimit') || 'the default' : <Hidden key="limit" />,
              ],
              ['Made', <Ago key="made" at={resource.createdAt} />],
            ]}
          />
        </Panel>
        <ConnectionPanel
          id="logical-databases.connection"
          name={name}
          made={textOf(status, 'connectionSecret') !== ''}
        />
      </div>
      {isOnSharedServer && <LogicalDatabaseBackups name={name} spec={spec} project={resource.project} />}
      <Panel title="Danger zone">
        <DeleteButton
          what="logical database"
          name={name}
          why={canMutate ? undefined : 'Only administrators delete logical databases'}
          goes={['the database with everything in it', 'its login and its connection']}
          remove={async (confirmName) => {
            await remove.mutateAsync({ logicalDatabase: name, confirmName })
            void navigate({ to: '/projects/$project', params: { project: resource.project }, search: {} })
          }}
        />
      </Panel>
    </div>
  )
}
