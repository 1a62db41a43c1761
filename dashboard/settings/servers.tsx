/** The servers that all projects use: the object server for buckets, and those for logical databases. */
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { databaseOperations } from '../../contract/databases/operations.ts'
import { sqlEngines } from '../../contract/fields/words.ts'
import { objectStoreOperations } from '../../contract/object-stores/operations.ts'
import type { View } from '../../contract/operations.ts'
import { useRead, useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { buttonClass } from '../ui/button.tsx'
import { sentenceOfData } from '../ui/data-sentence.ts'
import { EditForm } from '../ui/edit-form.tsx'
import type { FormField, FormValues } from '../ui/form-field.ts'
import { Empty, Skeleton } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { kinds, titleOf, type Summary } from '../ui/resources.tsx'
import { isOfCluster, placeFields, sizeFields, withOwnState } from '../ui/servers.ts'
import { StateBadge } from '../ui/state.tsx'
import { Since } from '../ui/time.tsx'

/** Shown once both are read, so that nothing moves when the first one is answered last. */
export function Servers() {
  const stores = useRead('object-stores.list', {})
  const databases = useRead('databases.list', {})
  if (stores.isPending || databases.isPending) return <Skeleton rows={8} height={56} label="Loading the servers" />
  return (
    <div className="flex flex-col gap-5">
      <ObjectServer stores={stores} />
      <DatabaseServers databases={databases} />
    </div>
  )
}

const label: FormField = { name: 'name', label: 'Label', hint: 'What it is called here. Left empty, by its name' }

function ObjectServer({ stores }: { stores: UseQueryResult<View<'object-stores.list'>> }) {
  const { canMutate } = useMe()
  const create = useWrite('object-stores.create')
  return (
    <Panel title="Object server" note="buckets of all projects lie on it">
      <Shown of={stores} what="the object server">
        {({ items }) => {
          const servers = items.filter(isOfCluster)
          if (servers.length > 0)
            return (
              <ul className="flex flex-col gap-4">
                {servers.map((server) => (
                  <StoreServer key={server.name} server={server} />
                ))}
              </ul>
            )
          if (!canMutate)
            return <Empty title="No object server yet">Buckets wait for it. Only administrators set it up.</Empty>
          return (
            <div className="flex flex-col gap-4">
              <p className="text-sm text-muted">
                None yet: buckets on the cluster wait for it. It is MinIO in one pod with a volume of 10Gi, and starts
                at once.
              </p>
              <EditForm
                whole
                button="Create the object server"
                schema={objectStoreOperations['object-stores.create'].params}
                values={{ name: '', cpu: '', memory: '', region: '', runOnTags: '' }}
                fields={[label, ...sizeFields, ...placeFields]}
                save={(params) => create.mutateAsync(params)}
              />
            </div>
          )
        }}
      </Shown>
    </Panel>
  )
}

/** Its list says nothing of how it is, so its own record is read. */
function StoreServer({ server }: { server: Summary }) {
  const detail = useRead('object-stores.get', { store: server.name })
  return (
    <Shown of={detail} what="the object server" loading={<Skeleton rows={1} height={64} />}>
      {({ resource, status }) => <Line server={withOwnState(resource, status)} word="Object server" />}
    </Shown>
  )
}

function Line({ server, word }: { server: Summary; word: string }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-3">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-medium wrap-anywhere">
          {titleOf(server)} <StateBadge state={server.state} />
        </p>
        <p className="mt-1 text-sm text-muted">
          {sentenceOfData(server, word)} <Since at={server.since} />
        </p>
      </div>
      <Link {...kinds[server.kind].link(server.name)} className={buttonClass()} aria-label={`Open ${titleOf(server)}`}>
        Open
      </Link>
    </li>
  )
}

function DatabaseServers({ databases }: { databases: UseQueryResult<View<'databases.list'>> }) {
  const { canMutate } = useMe()
  return (
    <Panel title="Shared database servers" note="logical databases of all projects lie on them">
      <Shown of={databases} what="the shared servers">
        {({ items }) => {
          const servers = items.filter(isOfCluster)
          // Viewers see no engine, and make none.
          const left = sqlEngines.filter((engine) => !servers.some(({ details }) => details['engine'] === engine))
          return (
            <div className="flex flex-col gap-5">
              {servers.length === 0 && <NoDatabaseServer />}
              {servers.length > 0 && (
                <ul className="flex flex-col gap-4">
                  {servers.map((server) => (
                    <Line key={server.name} server={server} word="Server" />
                  ))}
                </ul>
              )}
              {canMutate && left.length > 0 && (
                <section aria-label="Another server" className="flex flex-col gap-4">
                  {servers.length > 0 && <h3 className="border-t border-line pt-4 text-sm font-medium">Another one</h3>}
                  <DatabaseServerForm key={left.join()} engines={left} />
                </section>
              )}
            </div>
          )
        }}
      </Shown>
    </Panel>
  )
}

function NoDatabaseServer(): ReactNode {
  const { canMutate } = useMe()
  if (!canMutate) return <Empty title="No shared server yet">Only administrators set one up.</Empty>
  return (
    <p className="text-sm text-muted">
      None yet: a logical database needs one, or a database server of its own environment. There may be one postgres and
      one mysql.
    </p>
  )
}

const isPostgres = ({ engine }: FormValues): boolean => engine === 'postgres'

function DatabaseServerForm({ engines }: { engines: readonly (typeof sqlEngines)[number][] }) {
  const create = useWrite('databases.create')
  return (
    <EditForm
      whole
      button="Create the shared server"
      schema={databaseOperations['databases.create'].params}
      values={{
        engine: engines[0] ?? '',
        ...{ name: '', version: '', storageSize: '', cpu: '', memory: '', databaseName: '' },
        highAvailability: false,
        ...{ region: '', runOnTags: '', deploy: true },
      }}
      fields={[
        { name: 'engine', label: 'Engine', kind: 'select', options: engines.map((each) => [each, each]) },
        label,
        { name: 'version', label: 'Version', hint: 'Left empty, the default of the engine' },
        { name: 'storageSize', label: 'Storage', placeholder: '10Gi', hint: 'It may grow, never shrink' },
        ...sizeFields,
        { name: 'databaseName', label: 'First database', hint: 'Left empty, one is named' },
        {
          name: 'highAvailability',
          label: 'High availability',
          kind: 'check',
          hint: 'Three copies with automatic failover',
          when: isPostgres,
        },
        ...placeFields,
        {
          name: 'deploy',
          label: 'Deploy at once',
          kind: 'check',
          hint: 'Otherwise it is saved as a draft, and deployed on its page',
        },
      ]}
      // Without a place it is the server of the cluster.
      save={(params) => create.mutateAsync(params)}
    />
  )
}
