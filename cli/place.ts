/** Where something new goes: a project and one of its environments. */
import type { Client } from '../client/client.ts'
import { CliError } from './exit-codes.ts'
import { findEnvironment } from './project-environments.ts'
import { findProjectId } from './project-id.ts'
import type { Session } from './session.ts'

/** @throws CliError `usage` when nobody said where, `notFound` for an unknown project. */
export async function findPlace(session: Session, client: Client): Promise<{ project: string; environment: string }> {
  const project = await findProjectId(session, client)
  if (project === undefined) throw new CliError('usage', 'say where: a project with -p, and an environment with -e if it has several')
  return { project, environment: await findEnvironment(session, client, project) }
}
