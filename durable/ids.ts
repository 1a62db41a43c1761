/**
 * The workflow ids. The id of a resource is its mutex: Temporal has at most one open run for an id
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

/** Id of the Schedule that starts the resync every ten minutes. */
export const resyncScheduleId = 'resync'

/** The workflow type that delivers one event to one webhook. */
export const deliveryWorkflow = 'webhookDelivery'

/** The workflow type of one run of a function's schedule. */
export const scheduleRunWorkflow = 'scheduleRun'

/** The id of a function's Schedule. Ids of its runs are this id with the planned time after it. */
export const scheduleId = (app: string, trigger: string): string => `function/${app}/${trigger}`

/** The function and the trigger of a Schedule's id; undefined for the id of any other Schedule. */
export function scheduledBy(id: string): { app: string; trigger: string } | undefined {
  const [, app, trigger] = /^function\/([^/]+)\/([^/]+)$/.exec(id) ?? []
  return app === undefined || trigger === undefined ? undefined : { app, trigger }
}

/** The workflow type that deploys the services that build a pushed branch. */
export const pushWorkflow = 'gitHostPush'

/** The id for one delivery of the git host: a second start is refused. */
export const pushId = (delivery: string): string => `githost/${delivery}`

/** The workflow type that deploys one service, called by a plain webhook of its git server. */
export const gitPushWorkflow = 'gitPush'

/** The id for one delivery of a git server for one service: a second start is refused. */
export const gitPushId = (app: string, delivery: string): string => `githost/push/${app}/${delivery}`

/** The workflow type that reconciles the environment of a pull request with the git host. */
export const pullRequestWorkflow = 'pullRequest'

/** The id for one pull request in one project, by its key: one run at a time decides about it. */
export const pullRequestId = (key: string): string => `pr/${key}`

/** The workflow type that reports a deploy to the git host. */
export const reportWorkflow = 'gitHostReport'

/** The id for the reports of one build: one run sends them, one after the other. */
export const reportId = (build: string): string => `githost/report/${build}`

/** The id for the delivery of one event to one webhook: a second start is refused, so each event is sent once. */
export function deliveryId(webhook: string, record: string, event: string): string {
  return `webhook/${webhook}/${record}/${event}`
}

/** The id for repeating the delivery of a run: each run is repeated once, however often a caller requests it. */
export const redeliveryId = (delivery: string, run: string): string => `${delivery}/${run}`
