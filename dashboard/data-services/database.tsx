/** A database: how it is and is reached, its settings, attaching it, deleting it. */
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { databaseOperations } from '../../contract/databases/operations.ts'
import { defined } from '../../contract/defined.ts'
import type { View } from '../../contract/operations.ts'
import { useEdit, useRead, useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { abandonChoice, DeleteButton, type Choice } from '../ui/confirm.tsx'
import { Copyable } from '../ui/copy.tsx'
import { EditForm } from '../ui/edit-form.tsx'
import type { FormField } from '../ui/form-field.ts'
import { tagsField } from '../ui/image-fields.ts'
import { Hidden, SettingsHidden, Skeleton } from '../ui/notice.tsx'
import { MetricsCharts, readEveryMs, type MetricsWindow } from '../ui/metrics.tsx'
import { Facts, Panel } from '../ui/panel.tsx'
import { Gone } from '../ui/gone.tsx'
import { Shown } from '../ui/read.tsx'
import { isOfCluster, toServers } from '../ui/servers.ts'
import { linesOf, textOf, type Spec } from '../ui/spec.ts'
import { Ago } from '../ui/time.tsx'
import { AttachPanel } from './attach.tsx'
import { DatabaseBackups } from './keep-backups.tsx'
import { ConnectionPanel } from './connection.tsx'
import { DataHead } from './head.tsx'
import { LoginPanel } from './login.tsx'
import { QueryPanel } from './query.tsx'

export function DatabasePage() {
  const { db } = useParams({ from: '/databases/$db' })
  const database = useRead('databases.get', { db })
  return (
    <Shown
      of={database}
      what="the database"
      loading={<Skeleton rows={6} height={44} />}
      gone={<Gone what="database" name={db} />}
    >
      {(detail) => <Database db={db} detail={detail} />}
    </Shown>
  )
}

function DatabaseMetrics({ db }: { db: string }) {
  const [window, choose] = useState<MetricsWindow>('1h')
  const metrics = useRead('databases.metrics', { db, window }, { everyMs: readEveryMs, keep: true })
  return <MetricsCharts of={metrics} window={window} choose={choose} />
}

function FactsPanel({ resource, spec }: Pick<View<'databases.get'>, 'resource' | 'spec'>) {
  const { canMutate } = useMe()
  const storage = textOf(spec, 'mode') === 'Connect' ? 'that of the server' : textOf(spec, 'storageSize')
  return (
    <Panel title="What it is">
      <Facts
        rows={[
          ['Name', <Copyable key="name" text={resource.name} what="the name" />],
          ['Engine', canMutate ? `${textOf(spec, 'engine')} ${textOf(spec, 'version')}` : <Hidden key="engine" />],
          ['Copies', canMutate ? textOf(spec, 'instances') : <Hidden key="copies" />],
          ['Storage', canMutate ? storage || 'the default' : <Hidden key="storage" />],
          ['Made', <Ago key="made" at={resource.createdAt} />],
        ]}
      />
    </Panel>
  )
}

const copiesField: FormField = {
  name: 'clusterSize',
  label: 'Copies',
  kind: 'number',
  hint: '1, or 3 to 9 with automatic failover',
}

const lastBackup: Choice = {
  label: 'Take a last backup first',
  hint: 'It stays in the backup storage for the days that are set',
  made: true,
}

function Settings({ db, spec, isHere }: { db: string; spec: Spec; isHere: boolean }) {
  const { canMutate } = useMe()
  const edit = useEdit('databases.update', 'databases.get', { db })
  return (
    <Panel title="Settings" note="with the next deploy">
      {canMutate ? (
        <EditForm
          button="Save"
          schema={databaseOperations['databases.update'].params}
          {...edit}
          values={{
            version: textOf(spec, 'version'),
            storageSize: textOf(spec, 'storageSize'),
            cpu: textOf(spec, 'resources.requests.cpu'),
            memory: textOf(spec, 'resources.requests.memory'),
            clusterSize: textOf(spec, 'instances'),
            runOnTags: linesOf(spec, 'runOn.tags'),
          }}
          fields={[
            { name: 'version', label: 'Version' },
            { name: 'storageSize', label: 'Storage', hint: 'It may grow, never shrink' },
            { name: 'cpu', label: 'CPU' },
            { name: 'memory', label: 'Memory' },
            ...(isHere && textOf(spec, 'engine') === 'postgres' ? [copiesField] : []),
            ...(isHere ? [tagsField] : []),
          ]}
        />
      ) : (
        <SettingsHidden />
      )}
    </Panel>
  )
}

function Database({ db, detail: { resource, spec, status } }: { db: string; detail: View<'databases.get'> }) {
  const { canMutate } = useMe()
  const deploy = useWrite('databases.deploy')
  const retry = useWrite('databases.retry-provision')
  const remove = useWrite('databases.delete')
  const navigate = useNavigate()
  const why = canMutate ? undefined : 'Only administrators change settings'
  const isConnected = textOf(spec, 'mode') === 'Connect'
  const isHere = textOf(spec, 'placement') === 'InCluster'
  const isAtPlanetScale = !isHere && textOf(spec, 'provider') === 'PlanetScale'
  const isBackedUp = resource.project !== '' && isHere
  return (
    <div className="flex flex-col gap-5">
      <DataHead
        resource={resource}
        deploy={{ ...deploy, run: () => deploy.mutate({ db }) }}
        retry={{ ...retry, run: () => retry.mutate({ db }) }}
      />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <FactsPanel resource={resource} spec={spec} />
        <ConnectionPanel id="databases.connection" name={db} made={textOf(status, 'connectionSecret') !== ''} />
        <Settings db={db} spec={spec} isHere={isHere} />
        {isConnected && <LoginPanel db={db} spec={spec} why={why} />}
        <AttachPanel resource={resource} kind="database" gives="adds DATABASE_URL, or REDIS_URL for redis" />
      </div>
      <QueryPanel db={db} engine={textOf(spec, 'engine')} made={textOf(status, 'connectionSecret') !== ''} />
      {isBackedUp && (
        <DatabaseBackups
          name={db}
          spec={spec}
          project={resource.project}
          lacks={resource.state === 'draft' ? 'Deploy the database before you back it up' : undefined}
        />
      )}
      <Panel title="Metrics">
        <DatabaseMetrics db={db} />
      </Panel>
      <Panel title="Danger zone">
        <DeleteButton
          what="database"
          name={db}
          why={canMutate ? undefined : 'Only administrators delete databases'}
          goes={[
            isConnected
              ? 'what svc knows of the server, which stays'
              : 'the server and its volumes, with everything in them',
            'the connection that services use',
            isConnected ? 'the login that svc was given' : 'its logins',
          ]}
          choice={isBackedUp ? lastBackup : isAtPlanetScale ? abandonChoice : undefined}
          remove={async (confirmName, chosen) => {
            const how = isAtPlanetScale ? { abandon: chosen } : { backupFirst: chosen }
            const { stays } = await remove.mutateAsync({ db, confirmName, ...how })
            const params = { project: resource.project }
            void navigate(
              isOfCluster(resource)
                ? toServers
                : { to: '/projects/$project', params, search: {}, state: defined({ stays }) },
            )
          }}
        />
      </Panel>
    </div>
  )
}
