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

/** The workflow type of one run of a function's schedule. */
export const scheduleRunWorkflow = 'scheduleRun'

/** The id of the Schedule, and the beginning of the ids of its runs, which end with their planned time. */
export const scheduleId = (app: string, trigger: string): string => `function/${app}/${trigger}`

/** Whose schedule it is; undefined for the id of any other. */
export function scheduledBy(id: string): { app: string; trigger: string } | undefined {
  const [, app, trigger] = /^function\/([^/]+)\/([^/]+)$/.exec(id) ?? []
  return app === undefined || trigger === undefined ? undefined : { app, trigger }
}

/** The workflow type that deploys what a push is for. */
export const pushWorkflow = 'gitHostPush'

/** One delivery of the git host: started a second time it is refused. */
export const pushId = (delivery: string): string => `githost/${delivery}`

/** The workflow type that deploys one service that a plain webhook of its git server was for. */
export const gitPushWorkflow = 'gitPush'

/** One delivery of a git server for one service: started a second time it is refused. */
export const gitPushId = (app: string, delivery: string): string => `githost/push/${app}/${delivery}`

/** The workflow type that brings the environment of a pull request to what the git host says of it. */
export const pullRequestWorkflow = 'pullRequest'

/** One pull request in one project, by its key: one run at a time decides about it. */
export const pullRequestId = (key: string): string => `pr/${key}`

/** The workflow type that reports a deploy to the git host. */
export const reportWorkflow = 'gitHostReport'

/** One for each build, so that of two reports of it one waits for the other. */
export const reportId = (build: string): string => `githost/report/${build}`

/** One delivery of one event of one deploy: started a second time it is refused, so each is sent once. */
export function deliveryId(webhook: string, record: string, event: string): string {
  return `webhook/${webhook}/${record}/${event}`
}

/** One more delivery of what a run delivered: however often that is asked for of a run, it is delivered again once. */
export const redeliveryId = (delivery: string, run: string): string => `${delivery}/${run}`
