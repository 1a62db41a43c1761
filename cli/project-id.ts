/** The project a command is about: an ID as it is, a readable name looked up. */
import type { Client } from '../client/client.ts'
import { CliError } from './exit-codes.ts'
import type { Session } from './session.ts'

const projectId = /^proj-[0-9a-f]{8}$/

/** Undefined when no project was named. @throws CliError `notFound`, or `usage` when several have the name. */
export async function findProjectId(session: Session, client: Client, named = session.settings().project): Promise<string | undefined> {
  if (named === undefined || projectId.test(named)) return named
  const { items } = await client.call('projects.list', {}, { signal: session.signal })
  const found = items.filter(({ name, displayName }) => name === named || displayName === named)
  const [first, second] = found
  if (first === undefined) throw new CliError('notFound', `no project is called ${named}`)
  if (second !== undefined) throw new CliError('usage', `several projects are called ${named}: ${found.map(({ name }) => name).join(', ')}`)
  return first.name
}
