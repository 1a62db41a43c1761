/** The project and environment of a command: by ID, by name, from the saved login, or the only one that exists. */
import { projectId } from '../../contract/fields/patterns.ts'
import type { Client } from '../../client/client.ts'
import { environmentsOf } from '../../client/places.ts'
import type { ResourceSummary } from '../../contract/views/resource.ts'
import { CliError } from './exit-codes.ts'
import type { PlaceAsked } from './target.ts'
import { defined } from '../../contract/defined.ts'

/** @throws CliError `usage` without a place, `notFound` for an unknown project. */
export async function findPlace(
  session: PlaceAsked,
  client: Client,
): Promise<{ project: string; environment: string }> {
  const project = await findProjectId(session, client)
  if (project === undefined)
    throw new CliError('usage', 'say where: a project with -p, and an environment with -e if it has several')
  return { project, environment: await findEnvironment(session, client, project) }
}

/** @throws CliError `notFound`, or `usage` when several projects have the name. */
export async function ownerQuery(
  session: PlaceAsked,
  client: Client,
): Promise<{ project?: string; environment?: string }> {
  const project = await findProjectId(session, client)
  const { environment } = session.target()
  return { ...defined({ project, environment }) }
}

/**
 * Where a service, database or bucket is, in words. It is found by its name alone, so a place that was said with -p or
 * -e has to be the one it is in. @throws CliError `usage` where it is another.
 */
export async function placeText(
  session: PlaceAsked,
  client: Client,
  { name, project, environment }: Pick<ResourceSummary, 'name' | 'project' | 'environment'>,
): Promise<string> {
  const { flags } = session
  const said = flags.project === undefined ? project : await findProjectId(session, client, flags.project)
  const text = project === '' ? 'of the cluster' : `project ${project}, environment ${environment}`
  if (said !== project || (flags.environment ?? environment) !== environment)
    throw new CliError('usage', `${name} is in another place than -p and -e say: ${text}`)
  return text
}

/** Undefined when no project was named. @throws CliError `notFound`, or `usage` when several have the name. */
export async function findProjectId(
  session: PlaceAsked,
  client: Client,
  named = session.target().project,
): Promise<string | undefined> {
  if (named === undefined || projectId.test(named)) return named
  const { items } = await client.call('projects.list', {}, { signal: session.signal })
  const found = items.filter(({ name, displayName }) => name === named || displayName === named)
  const [first, second] = found
  if (first === undefined) throw new CliError('notFound', `no project is called ${named}`)
  if (second !== undefined)
    throw new CliError('usage', `several projects are called ${named}: ${found.map(({ name }) => name).join(', ')}`)
  return first.name
}

/** The name of a project by its ID, where one project alone has that name; else the ID itself. */
export async function projectNames(
  { signal }: Pick<PlaceAsked, 'signal'>,
  client: Client,
): Promise<(id: string) => string> {
  const { items } = await client.call('projects.list', {}, { signal })
  const names = new Map(items.map(({ name, displayName }) => [name, displayName]))
  const count = (wanted: string): number => items.filter(({ displayName }) => displayName === wanted).length
  return (id) => {
    const name = names.get(id)
    return name !== undefined && count(name) === 1 ? name : id
  }
}

/**
 * The environment of the settings, else the only one of the project. @throws CliError `usage` when there are several.
 */
async function findEnvironment(session: PlaceAsked, client: Client, project: string): Promise<string> {
  const { environment } = session.target()
  if (environment !== undefined) return environment
  const { resource } = await client.call('projects.get', { project }, { signal: session.signal })
  const names = environmentsOf(resource)
  const [first, second] = names
  if (first !== undefined && second === undefined) return first
  throw new CliError('usage', `say which environment with -e: ${names.join(', ') || 'the project names none'}`)
}
