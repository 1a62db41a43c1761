/** The end of saving settings of a database or bucket: nothing, a deploy, or a deploy that is waited for. */
import type { Client } from '../../client/client.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs } from '../session/flags.ts'
import { answer, clientOf, type Session } from '../session/session.ts'
import type { DeployFlags } from './create-record.ts'
import { actAndFollowRecord } from './follow-record.ts'
import type { DeployedKind } from './record-kinds.ts'

export const deployChangeFlag = ['--deploy', 'deploy what is saved'] as const

/** @throws CliError `usage` without any settings to save. */
export async function saveRecord<Fields extends object>(
  session: Session,
  kind: DeployedKind,
  { name, fields, ...flags }: DeployFlags & { name: string; fields: Fields },
  save: (client: Client) => Promise<unknown>,
): Promise<void> {
  const { terminal, signal } = session
  await parseDurationMs('--timeout', flags.timeout)
  const words = Object.keys(fields)
  if (words.length === 0)
    throw new CliError('usage', `say what to change; \`svc ${kind.command} set --help\` lists the settings`)
  const client = await clientOf(session)
  const view = await save(client)
  const saved = `Saved ${words.join(', ')} of ${name}`
  if (flags.wait === true) {
    if (session.flags.json !== true) terminal.line(`${saved}; deploying it`)
    return await actAndFollowRecord(
      session,
      client,
      kind,
      { name, noun: 'deploy', ...flags },
      async () => await kind.deploy(client, name, signal),
    )
  }
  if (flags.deploy === true) await kind.deploy(client, name, signal)
  await answer(session, view, async () => {
    if (flags.deploy === true) return terminal.line(`${saved}; its deploy was accepted`)
    const { pendingChanges } = (await kind.read(client, name, signal)).resource
    terminal.line(
      pendingChanges === 0
        ? saved
        : `${saved}; what waits takes effect with the next deploy: \`svc ${kind.command} deploy ${name}\``,
    )
  })
}
