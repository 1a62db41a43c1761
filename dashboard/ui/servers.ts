/** The servers of the cluster, which no project owns: how one is, and the fields of its forms. */
import { listOf, type Spec } from './spec.ts'
import type { FormField } from './form-field.ts'
import type { Summary } from './resources.tsx'
import { tagsField } from './image-fields.ts'

/** What a bucket on the cluster says while there is no object server that is ready. */
export const awaitsObjectServer = 'Set up the MinIO server in cluster settings first'

/** Where they are set up and seen. */
export const toServers = { to: '/settings/$section', params: { section: 'servers' } } as const

export const isOfCluster = ({ project }: Pick<Summary, 'project'>): boolean => project === ''

/**
 * The object server with the state that its Ready condition has: it is listed as a draft while it runs
 * (docs/reference/object-stores.md#the-object-server).
 */
export function withOwnState(resource: Summary, status: Spec): Summary {
  if (!isOfCluster(resource) || resource.state !== 'draft') return resource
  const ready = listOf(status, 'conditions').find((each) => (each as Spec)['type'] === 'Ready') as Spec | undefined
  // Until a pass takes it up, the condition is of an earlier state than the message.
  const isFailed = ready?.['reason'] === 'ProvisionFailed' && ready['message'] === resource.message
  const isReady = ready?.['status'] === 'True' && resource.message === ''
  return { ...resource, state: isFailed ? 'failed' : isReady ? 'ready' : 'pending' }
}

/** Of one server. */
export const sizeFields: readonly FormField[] = [
  { name: 'cpu', label: 'CPU', placeholder: '250m' },
  { name: 'memory', label: 'Memory', placeholder: '512Mi' },
]

export const placeFields: readonly FormField[] = [
  { name: 'region', label: 'Region', hint: 'Of the nodes that it may run on. Left empty, any' },
  { ...tagsField, hint: 'One a line: its node must carry all of them. Left empty, any node' },
]
