/** Which project and environment a list is asked for, from the flags and the saved login. */
import type { Client } from '../client/client.ts'
import { findProjectId } from './project-id.ts'
import type { Session } from './session.ts'

/** @throws CliError `notFound`, or `usage` when several projects have the name. */
export async function ownerQuery(session: Session, client: Client): Promise<{ project?: string; environment?: string }> {
  const project = await findProjectId(session, client)
  const { environment } = session.settings()
  return { ...(project === undefined ? {} : { project }), ...(environment === undefined ? {} : { environment }) }
}
