/**
 * `svc logs --build`: what the build of the newest deploy wrote so far, and with `-f` the rest of it as it is written.
 */
import { followDeploymentLog } from '../../client/apps/follow-deployment.ts'
import type { Client } from '../../client/client.ts'
import { isBuildSection } from '../../contract/fields/words.ts'
import { CliError } from '../session/exit-codes.ts'
import type { Session } from '../session/session.ts'
import { jsonText } from '../session/terminal.ts'

/** @throws CliError notFound without a deploy. */
export async function printBuildLog(session: Session, client: Client, app: string, follows: boolean): Promise<void> {
  const { terminal, signal } = session
  const { lastAttempt } = await client.call('apps.status', { app }, { signal })
  if (lastAttempt === undefined) throw new CliError('notFound', `${app} has no deployments yet`)
  const { id, phase } = lastAttempt
  if (follows) return await follow(session, client, app, id)
  const view = await client.call('apps.deployment-logs', { app, id }, { signal })
  const sections = view.sections.filter((section) => isBuildSection(section.id))
  if (session.flags.json === true) return terminal.json({ ...view, sections })
  for (const line of sections.flatMap(({ lines }) => lines)) terminal.line(line)
  if (sections.length === 0) terminal.note(nothing(id, phase === 'Running'))
}

async function follow(session: Session, client: Client, app: string, id: string): Promise<void> {
  const { terminal, signal, sleep } = session
  const onTrouble = (error: Error): void => terminal.note(`${error.message}; trying again`)
  let shown = 0
  for await (const line of followDeploymentLog(client, { app, id }, { signal, sleep, onTrouble })) {
    if (!isBuildSection(line.section)) continue
    shown += 1
    if (session.flags.json === true) terminal.styledLine(jsonText(line))
    else terminal.line(line.line)
  }
  if (shown === 0 && !signal.aborted) terminal.note(nothing(id, false))
}

const nothing = (id: string, isGoingOn: boolean): string =>
  `${id} has no log of a build: ${isGoingOn ? 'none has written anything yet' : 'its deploy needed no build'}`
