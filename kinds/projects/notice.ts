/**
 * The body of a webhook (docs/reference/projects.md#events-of-a-webhook): small, plain and free of secrets, since it is
 * in the history of a workflow.
 */
import { digest } from '../meta/digest.ts'
import { type DeployNotice, deployMessage } from './deploy-notice.ts'

/** The backups of a database turned bad, and why. */
export interface BackupNotice {
  event: 'backup.failed'
  /** When svc found that, RFC 3339. */
  at: string
  project: string
  environment: string
  database: string
  error: string
}

export type Notice = DeployNotice | BackupNotice

/** The subject of an event: the same event of the same subject is one message. */
export function subjectOf(notice: Notice): string {
  return notice.event === 'backup.failed' ? `${notice.database}-${Date.parse(notice.at)}` : notice.deployment.id
}

/** The body as text; the same for every try. */
export function messageOf(notice: Notice): string {
  if (notice.event !== 'backup.failed') return deployMessage(notice)
  const { event, at, project, environment, database, error } = notice
  return JSON.stringify({ type: event, timestamp: at, data: { project, environment, database, error } })
}

/**
 * The header `webhook-id`: the same for every try, so that a receiver recognises a repetition, and different for each
 * webhook.
 */
export function deliveryMessageId(webhook: string, notice: Notice): string {
  return `msg_${digest([webhook, subjectOf(notice), notice.event])}`
}
