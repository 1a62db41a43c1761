/** Projects and their environments, as a list of projects has them. */
import type { ResourceSummary } from '../contract/views/resource.ts'
import type { Client } from './client.ts'

/** The details of a project in a list (docs/reference/projects.md#fields). */
export function environmentsOf({ details }: ResourceSummary): string[] {
  const { environments } = details
  return Array.isArray(environments) ? environments.filter((name) => typeof name === 'string') : []
}

/** @param project its ID. */
export interface Place {
  project?: string | undefined
  environment?: string | undefined
}

/**
 * Why a list of a place has no items where that place does not exist, which the service does not say; undefined where
 * it does. A project token may not read projects: it lists its own environment, or is refused.
 */
export async function missingPlace(
  client: Client,
  { project, environment }: Place,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (project === undefined && environment === undefined) return undefined
  const { scope } = await client.call('platform.me', {}, { signal })
  if (scope === 'project') return undefined
  const { items } = await client.call('projects.list', {}, { signal })
  const found = items.filter(({ name }) => project === undefined || name === project)
  if (found.length === 0 && project !== undefined) return `project ${project} not found`
  if (environment === undefined || found.some((it) => environmentsOf(it).includes(environment))) return undefined
  return project === undefined
    ? `no project has an environment ${environment}`
    : `the project has no environment ${environment}`
}
