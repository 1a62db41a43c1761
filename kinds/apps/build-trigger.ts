/** What asked for a build, as far as its deploy knows. */
import type { Attempt } from './attempt.ts'
import { gitHostActor, gitWebhookActor } from './push.ts'

/** @param retryToken of the service; '' where the deploy was not retried */
export function buildTriggerOf(
  { operation, actor, requestId }: Pick<Attempt, 'operation' | 'actor' | 'requestId'>,
  retryToken: string,
): 'retry' | 'kubectl' | 'pull request' | 'push' | 'manual' {
  if (retryToken !== '') return 'retry'
  if (operation === 'kubectl') return 'kubectl'
  if (actor === gitHostActor && requestId.startsWith('pr-')) return 'pull request'
  return actor === gitHostActor || actor === gitWebhookActor ? 'push' : 'manual'
}
