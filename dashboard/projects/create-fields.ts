/** Fields that several of the forms have which make something in an environment. */
import type { FormField } from '../ui/form-field.ts'

export interface Place {
  readonly project: string
  readonly environment: string
}

export const name: FormField = { name: 'name', label: 'Name', hint: 'Left empty, one is made up' }

export const deployNow: FormField = {
  name: 'deploy',
  label: 'Deploy at once',
  kind: 'check',
  hint: 'Otherwise it is saved as a draft, to be reviewed with the other pending changes',
}

export const portField: FormField = {
  name: 'port',
  label: 'Port',
  kind: 'number',
  hint: 'The one that the container listens on',
}

export const copiesFields: readonly FormField[] = [
  { name: 'replicas', label: 'Copies', kind: 'number' },
  { name: 'cpu', label: 'CPU of a copy', placeholder: '100m' },
  { name: 'memory', label: 'Memory of a copy', placeholder: '128Mi' },
]

export const hostField: FormField = {
  name: 'host',
  label: 'Public host',
  placeholder: 'shop.example.com',
  hint: 'Left empty, it has none of its own',
}
