/** The environments of a project, and the one that is meant when nobody names it. */
import type { Client } from '../client/client.ts'
import type { ResourceSummary } from '../contract/resource-views.ts'
import { CliError } from './exit-codes.ts'
import type { Session } from './session.ts'

/** "project: environments, region, requiredTags". */
export function environmentsOf({ details }: ResourceSummary): string[] {
  const { environments } = details
  return Array.isArray(environments) ? environments.filter((name) => typeof name === 'string') : []
}

/** The environment of the settings, else the only one of the project. @throws CliError `usage` where there is a choice. */
export async function findEnvironment(session: Session, client: Client, project: string): Promise<string> {
  const { environment } = session.settings()
  if (environment !== undefined) return environment
  const { resource } = await client.call('projects.get', { project }, { signal: session.signal })
  const names = environmentsOf(resource)
  const [first, second] = names
  if (first !== undefined && second === undefined) return first
  throw new CliError('usage', `say which environment with -e: ${names.join(', ') || 'the project names none'}`)
}
