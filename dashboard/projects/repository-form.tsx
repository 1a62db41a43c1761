/** Making a service that is built from a git repository. */
import { useNavigate } from '@tanstack/react-router'
import { appOperations } from '../../contract/apps/operations.ts'
import { call } from '../data/api.ts'
import { useRead } from '../data/queries.ts'
import { EditForm } from '../ui/edit-form.tsx'
import type { FormField, FormValues } from '../ui/form-field.ts'
import { buildFields, isOverSsh } from '../ui/git-fields.ts'
import { rootField, volumeFields } from '../ui/image-fields.ts'
import { listOf } from '../ui/spec.ts'
import { copiesFields, deployNow, hostField, name, portField, type Place } from './create-fields.ts'

/** It is read with a deploy key, which has to be made first, unless a Secret has the key. */
const isKeyless = ({ repository, connectionRef }: FormValues): boolean =>
  isOverSsh(String(repository)) && connectionRef === ''

const fields: readonly FormField[] = [
  { name: 'branch', label: 'Branch', placeholder: 'main', hint: 'Left empty, the default branch' },
  {
    name: 'connectionRef',
    label: 'Secret with the login',
    hint: 'For a private repository that neither the git host’s app nor a deploy key reads; left empty, none',
  },
  ...buildFields,
  name,
  portField,
  ...copiesFields,
  ...volumeFields,
  hostField,
  rootField,
  { ...deployNow, when: (values) => !isKeyless(values) },
]

export function RepositoryForm({ place }: { place: Place }) {
  const navigate = useNavigate()
  const { project } = place
  const spec = useRead('projects.get', { project }).data?.spec ?? {}
  // Of what the git host's app was given; everything else is typed.
  const isConnected = listOf(spec, 'gitHosts').length > 0
  const offered = useRead('projects.githost-repos', { project }, { enabled: isConnected })
  const repository: FormField = {
    name: 'repository',
    label: 'Repository',
    placeholder: 'acme/web',
    suggestions: offered.data?.items.map(({ FullName }) => FullName) ?? [],
    hint: 'owner/name, or an https or ssh address; for an ssh address the page of the service makes a deploy key',
  }
  return (
    <EditForm
      whole
      button="Create the service"
      schema={appOperations['apps.create'].params}
      values={{
        ...{ repository: '', branch: '', connectionRef: '', dockerfile: '', context: '', waitForCI: false },
        ...{ name: '', port: '8080', replicas: '1', cpu: '', memory: '', volumePath: '', volumeSize: '' },
        ...{ host: '', runAsRoot: false, deploy: true },
      }}
      fields={[repository, ...fields]}
      save={async (params) => {
        const made = await call('apps.create', { ...params, ...place, source: 'git' })
        void navigate({ to: '/services/$app', params: { app: made.name } })
      }}
    />
  )
}
