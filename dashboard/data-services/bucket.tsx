/** A bucket, or the object server of the cluster: where it is, its settings, attaching it, deleting it. */
import { useNavigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { objectStoreOperations } from '../../contract/object-stores/operations.ts'
import { defined } from '../../contract/defined.ts'
import type { View } from '../../contract/operations.ts'
import { useEdit, useRead, useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { abandonChoice, type Choice, DeleteButton } from '../ui/confirm.tsx'
import { Copyable } from '../ui/copy.tsx'
import { EditForm } from '../ui/edit-form.tsx'
import type { FormField } from '../ui/form-field.ts'
import { Hidden, SettingsHidden, Skeleton } from '../ui/notice.tsx'
import { Facts, live, Panel } from '../ui/panel.tsx'
import { Gone } from '../ui/gone.tsx'
import { Shown } from '../ui/read.tsx'
import { isOfCluster, placeFields, sizeFields, toServers, withOwnState } from '../ui/servers.ts'
import { linesOf, textOf, type Spec } from '../ui/spec.ts'
import { Ago } from '../ui/time.tsx'
import { AttachPanel } from './attach.tsx'
import { DataHead } from './head.tsx'
import { BucketBackups } from './keep-backups.tsx'

export function BucketPage() {
  const { store } = useParams({ from: '/buckets/$store' })
  const bucket = useRead('object-stores.get', { store })
  return (
    <Shown
      of={bucket}
      what="the bucket"
      loading={<Skeleton rows={6} height={44} />}
      gone={<Gone what="bucket" name={store} />}
    >
      {(detail) => <Bucket store={store} detail={detail} />}
    </Shown>
  )
}

function Bucket({ store, detail }: { store: string; detail: View<'object-stores.get'> }) {
  const { spec, status } = detail
  const resource = withOwnState(detail.resource, status)
  const deploy = useWrite('object-stores.deploy')
  const retry = useWrite('object-stores.retry-provision')
  const isServer = isOfCluster(resource)
  const isHere = !isServer && textOf(spec, 'placement') !== 'External' && textOf(spec, 'engine') !== 'Remote'
  return (
    <div className="flex flex-col gap-5">
      <DataHead
        resource={resource}
        {...(isServer ? {} : { deploy: { ...deploy, run: () => deploy.mutate({ store }) } })}
        retry={{ ...retry, run: () => retry.mutate({ store }) }}
      />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <FactsPanel resource={resource} spec={spec} status={status} />
        <Settings store={store} spec={spec} isServer={isServer} />
        <AttachPanel resource={resource} kind="object-store" gives="adds OBJ_ENDPOINT, OBJ_BUCKET and the two keys" />
      </div>
      {isHere && (
        <BucketBackups
          name={store}
          spec={spec}
          project={resource.project}
          lacks={textOf(status, 'connectionSecret') === '' ? 'The bucket was not made yet' : undefined}
        />
      )}
      <Danger store={store} project={resource.project} isServer={isServer} isHere={isHere} />
    </div>
  )
}

function FactsPanel({ resource, spec, status }: View<'object-stores.get'>) {
  const { canMutate } = useMe()
  const isServer = isOfCluster(resource)
  const shown = (key: string, value: ReactNode) => (canMutate ? value : <Hidden key={key} />)
  const where = textOf(spec, 'placement') === 'External' ? 'in a cloud account' : 'on the object server of the cluster'
  const endpoint = textOf(status, 'endpoint')
  return (
    <Panel title="What it is">
      <Facts
        rows={[
          ['Name', <Copyable key="name" text={resource.name} what="the name" />],
          ['Where', isServer ? 'one pod with a volume of 10Gi' : where],
          ...(isServer ? [] : [['Bucket', shown('bucket', linesOf(spec, 'buckets') || 'none yet')] as const]),
          [
            'Endpoint',
            shown(
              'endpoint',
              endpoint === '' ? 'not known yet' : <Copyable key="endpoint" text={endpoint} what="the endpoint" />,
            ),
          ],
          ['Secret', shown('secret', textOf(status, 'connectionSecret') || 'not made yet')],
          ['Made', <Ago key="made" at={resource.createdAt} />],
        ]}
      />
    </Panel>
  )
}

const bucketFields: readonly FormField[] = [
  { name: 'bucket', label: 'Bucket', hint: '3 to 63 lowercase letters, digits, dots and hyphens' },
]

function Settings({ store, spec, isServer }: { store: string; spec: Spec; isServer: boolean }) {
  const { canMutate } = useMe()
  const edit = useEdit('object-stores.update', 'object-stores.get', { store })
  const values = {
    bucket: linesOf(spec, 'buckets'),
    cpu: textOf(spec, 'resources.requests.cpu'),
    memory: textOf(spec, 'resources.requests.memory'),
    region: textOf(spec, 'serverRegion'),
    runOnTags: linesOf(spec, 'runOn.tags'),
  }
  return (
    <Panel title="Settings" note={isServer ? live : 'with the next deploy'}>
      {canMutate ? (
        <EditForm
          button="Save"
          schema={objectStoreOperations['object-stores.update'].params}
          {...edit}
          values={values}
          fields={isServer ? [...sizeFields, ...placeFields] : bucketFields}
        />
      ) : (
        <SettingsHidden />
      )}
    </Panel>
  )
}

interface DangerProps {
  readonly store: string
  readonly project: string
  readonly isServer: boolean
  /** Whether it is a bucket on the object server, which is backed up. */
  readonly isHere: boolean
}

const lastBackup: Choice = {
  label: 'Take a last backup first',
  hint: 'Where the project has a backup storage; it stays there for the days that are set',
  made: true,
}

function Danger({ store, project, isServer, isHere }: DangerProps) {
  const { canMutate } = useMe()
  const remove = useWrite('object-stores.delete')
  const navigate = useNavigate()
  const ofBucket = isHere ? lastBackup : abandonChoice
  return (
    <Panel title="Danger zone">
      <DeleteButton
        what={isServer ? 'object server' : 'bucket'}
        name={store}
        why={canMutate ? undefined : `Only administrators delete ${isServer ? 'the object server' : 'buckets'}`}
        goes={
          isServer
            ? ['the server with its volume, once no bucket is on it', 'what buckets of all projects would be made on']
            : ['the bucket with every object in it', 'its keys and the connection that services use']
        }
        choice={isServer ? undefined : ofBucket}
        remove={async (confirmName, chosen) => {
          const choice = isHere ? { backupFirst: chosen } : { abandon: chosen }
          const { stays } = await remove.mutateAsync({ store, confirmName, ...(isServer ? {} : choice) })
          const toProject = { to: '/projects/$project', params: { project }, search: {}, state: defined({ stays }) }
          void navigate(isServer ? toServers : toProject)
        }}
      />
    </Panel>
  )
}
