/** Where the backups of the databases of a project go. */
import { defined } from '../../contract/defined.ts'
import { projectOperations } from '../../contract/projects/operations.ts'
import { useEdit, useRead, useWrite } from '../data/queries.ts'
import { DeleteButton } from '../ui/confirm.tsx'
import { EditForm } from '../ui/edit-form.tsx'
import { Panel } from '../ui/panel.tsx'
import { textOf, type Spec } from '../ui/spec.ts'

/** For those who may change things. */
export function BackupStorage({ name, spec }: { name: string; spec: Spec }) {
  const edit = useEdit('projects.backup-storage', 'projects.get', { project: name })
  const clear = useWrite('projects.backup-storage')
  const clouds = useRead('cloud-connections.list', {}).data?.items ?? []
  const stores = useRead('object-stores.list', { project: name }).data?.items ?? []
  const connection = textOf(spec, 'backupStorage.connectionRef.name')
  const bucket = textOf(spec, 'backupStorage.bucket')
  const region = textOf(spec, 'backupStorage.region')
  return (
    <Panel title="Backup storage" note="of its databases and buckets">
      <div className="flex flex-col gap-4">
        <p className="text-sm text-muted">
          {connection === '' ? 'None: backups have nowhere to go.' : 'New backups go there; those that exist stay.'}
        </p>
        <EditForm
          button="Save"
          {...edit}
          save={(changed, version) =>
            edit.save(
              { connection, bucket, ...defined({ region: region === '' ? undefined : region }), ...changed },
              version,
            )
          }
          schema={projectOperations['projects.backup-storage'].params}
          values={{ connection, bucket, region }}
          fields={[
            {
              name: 'connection',
              label: 'Cloud connection or bucket',
              placeholder: 'aws-main',
              hint: 'Of this project: a connection to AWS, or, for trials, a bucket on the object server, which is lost with it',
              suggestions: [
                ...clouds.filter((each) => each.project === name && each.provider === 'AWS').map((each) => each.name),
                ...stores.map((each) => each.name),
              ],
            },
            { name: 'bucket', label: 'Bucket', placeholder: 'backups' },
            { name: 'region', label: 'Region', hint: 'Left empty, that of the connection' },
          ]}
        />
        {connection !== '' && (
          <div>
            <DeleteButton
              what="backup storage"
              name={bucket}
              verb="Forget"
              goes={['where new backups would go: none is made until there is another']}
              remove={() => clear.mutateAsync({ project: name, remove: true })}
            />
          </div>
        )}
      </div>
    </Panel>
  )
}
