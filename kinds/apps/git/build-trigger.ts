/** What caused a build, as far as the attempt that it is made for shows. */
import { annotations } from '../../meta/annotations.ts'
import type { Attempt } from '../deploy/attempt.ts'
import type { App } from '../kind.ts'

/** The actors of deploys that no person asks for: the app at the git host, and the plain webhook of a git server. */
export const gitHostActor = 'git host'
export const gitWebhookActor = 'git webhook'

/** The retry token, which is part of the names of a service's retried builds; '' before the first retry. */
export const retryOf = ({ metadata }: App): string => metadata.annotations?.[annotations.retry] ?? ''

/** @param retryToken annotation of the service; '' where the deploy was not retried */
export function buildTriggerOf(
  { operation, actor, requestId }: Pick<Attempt, 'operation' | 'actor' | 'requestId'>,
  retryToken: string,
): 'retry' | 'kubectl' | 'pull request' | 'push' | 'manual' {
  if (retryToken !== '') return 'retry'
  if (operation === 'kubectl') return 'kubectl'
  if (actor === gitHostActor && requestId.startsWith('pr-')) return 'pull request'
  return actor === gitHostActor || actor === gitWebhookActor ? 'push' : 'manual'
}
