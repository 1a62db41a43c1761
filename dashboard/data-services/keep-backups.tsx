/** Whether a database, a logical database or a bucket is backed up every day, and for how long that is kept. */
import { databaseOperations } from '../../contract/databases/operations.ts'
import { backupRetentionDays } from '../../contract/limits.ts'
import { logicalDatabaseOperations } from '../../contract/logical-databases/operations.ts'
import { objectStoreOperations } from '../../contract/object-stores/operations.ts'
import { useEdit, useWrite } from '../data/queries.ts'
import { EditForm } from '../ui/edit-form.tsx'
import { flagOf, textOf, type Spec } from '../ui/spec.ts'
import { BackupsPanel } from './backups.tsx'

interface Props {
  readonly name: string
  readonly spec: Spec
  /** Backups are of what belongs to a project. */
  readonly project: string
}

interface LackingProps extends Props {
  /** Why there is nothing to back up yet. */
  readonly lacks: string | undefined
}

export function DatabaseBackups({ name, spec, project, lacks }: LackingProps) {
  const { isPending, error, mutateAsync } = useWrite('databases.backup')
  const edit = useEdit('databases.update', 'databases.get', { db: name })
  return (
    <BackupsPanel
      name={name}
      kind="Database"
      isDaily={flagOf(spec, 'backups.enabled')}
      project={project}
      lacks={lacks}
      backup={{ isPending, error, take: async () => (await mutateAsync({ db: name })).archive }}
      keeping={
        <EditForm schema={databaseOperations['databases.update'].params} {...edit} values={valuesOf(spec)} {...form} />
      }
    />
  )
}

export function LogicalDatabaseBackups({ name, spec, project }: Props) {
  const { isPending, error, mutateAsync } = useWrite('logical-databases.backup')
  const params = { logicalDatabase: name }
  const edit = useEdit('logical-databases.update', 'logical-databases.get', params)
  return (
    <BackupsPanel
      name={name}
      kind="LogicalDatabase"
      isDaily={flagOf(spec, 'backups.enabled')}
      project={project}
      backup={{ isPending, error, take: async () => (await mutateAsync(params)).archive }}
      keeping={
        <EditForm
          schema={logicalDatabaseOperations['logical-databases.update'].params}
          {...edit}
          values={valuesOf(spec)}
          {...form}
        />
      }
    />
  )
}

export function BucketBackups({ name, spec, project, lacks }: LackingProps) {
  const { isPending, error, mutateAsync } = useWrite('object-stores.backup')
  const edit = useEdit('object-stores.update', 'object-stores.get', { store: name })
  return (
    <BackupsPanel
      name={name}
      kind="ObjectStore"
      isDaily={flagOf(spec, 'backups.enabled')}
      project={project}
      lacks={lacks}
      backup={{ isPending, error, take: async () => (await mutateAsync({ store: name })).archive }}
      keeping={
        <EditForm
          schema={objectStoreOperations['object-stores.update'].params}
          {...edit}
          values={valuesOf(spec)}
          {...form}
        />
      }
    />
  )
}

const valuesOf = (spec: Spec) => ({
  backups: flagOf(spec, 'backups.enabled'),
  backupRetentionDays: textOf(spec, 'backups.retentionDays') || String(backupRetentionDays.default),
})

const form = {
  button: 'Save',
  fields: [
    { name: 'backups', label: 'Back up every day', kind: 'check', hint: 'Applies at once, without a deploy' },
    {
      name: 'backupRetentionDays',
      label: 'Kept for (days)',
      kind: 'number',
      hint: 'The newest backup stays for ever; older ones go only while a newer one is verified',
      when: ({ backups }: Readonly<Record<string, unknown>>) => backups === true,
    },
  ],
} as const
