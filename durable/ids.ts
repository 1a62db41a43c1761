/**
 * The workflow ids: one id per resource is its mutex, so at most one run works on it
 * (docs/decisions/0001-the-record-is-the-truth.md).
 */
import { type ReconciledKind, reconciledKinds } from '../kinds/meta/resource-types.ts'

/** The workflow type that reconciles records of this kind, e.g. `service`. */
export function workflowType(kind: ReconciledKind): string {
  return reconciledKinds[kind].workflow
}

/** The id of the one workflow that may change this resource, e.g. `app/calm-otter`. */
export function workflowId(kind: ReconciledKind, name: string): string {
  return `${reconciledKinds[kind].id}/${name}`
}

/** The record that the run of this id reconciles; undefined for the id of any other run. */
export function reconciledBy(id: string): { kind: ReconciledKind; name: string } | undefined {
  const slash = id.indexOf('/')
  const kinds = Object.keys(reconciledKinds) as ReconciledKind[]
  const kind = kinds.find((each) => reconciledKinds[each].id === id.slice(0, slash))
  return kind === undefined ? undefined : { kind, name: id.slice(slash + 1) }
}

/** The Schedule that compares every record with its workflow once in a while. */
export const resyncScheduleId = 'resync'

/** The workflow type that delivers one event to one webhook. */
export const deliveryWorkflow = 'webhookDelivery'

/** The workflow type that deploys what a push is for. */
export const pushWorkflow = 'gitHostPush'

/** One delivery of the git host: started a second time it is refused. */
export const pushId = (delivery: string): string => `githost/${delivery}`

/** One delivery of one event of one deploy: started a second time it is refused, so each is sent once. */
export function deliveryId(webhook: string, record: string, event: string): string {
  return `webhook/${webhook}/${record}/${event}`
}
