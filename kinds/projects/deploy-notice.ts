/** The body of a webhook about a deploy (docs/reference/projects.md#events-of-a-webhook). */
import type { AttemptPhase, DeployEvent } from '../../contract/fields/words.ts'
import { defined } from '../../contract/defined.ts'

/** An event of one deploy; small, plain and free of secrets, since it is in the history of a workflow. */
export interface DeployNotice {
  event: DeployEvent
  /** When it happened, RFC 3339. */
  at: string
  project: string
  environment: string
  app: string
  deployment: {
    id: string
    phase: AttemptPhase
    image: string
    commit: string
    trigger: string
    actor: string
    changeTitle: string
    startedAt?: string
    completedAt?: string
  }
  /** Why the deploy failed. */
  error?: string
}

export function deployMessage({ event, at, project, environment, app, deployment, error }: DeployNotice): string {
  return JSON.stringify({
    type: event,
    timestamp: at,
    data: { project, environment, app, deployment, ...defined({ error }) },
  })
}
