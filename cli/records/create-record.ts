/**
 * The end of every creation of a database, logical database or bucket: a draft, an accepted operation, or one that is
 * waited for.
 */
import type { Client } from '../../client/client.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs } from '../session/flags.ts'
import { answer, clientOf, type Session } from '../session/session.ts'
import type { WaitFlags } from '../wait/follow.ts'
import { followRecord } from './follow-record.ts'
import type { RecordKind } from './record-kinds.ts'

/** Flags of a creation that may include a deploy. */
export interface DeployFlags extends WaitFlags {
  deploy?: boolean
}

export const deployAtOnceFlag = ['--deploy', 'deploy at once instead of saving a draft'] as const
export const waitForCreationFlag = ['--wait', 'deploy, and wait until it is ready or has failed'] as const

export const deploys = ({ deploy, wait }: DeployFlags): boolean => deploy === true || wait === true

interface Created {
  name: string
  deployed?: true | undefined
}

/**
 * @param drafts whether it starts as a draft unless the flags deploy it; other kinds are provisioned at once.
 * @throws CliError `error` when the service saved a draft instead of deploying.
 */
export async function createRecord(
  session: Session,
  kind: RecordKind,
  { drafts, ...flags }: DeployFlags & { drafts: boolean },
  create: (client: Client) => Promise<Created>,
): Promise<void> {
  const { terminal } = session
  const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
  const client = await clientOf(session)
  const view = await create(client)
  const { name } = view
  if (drafts && deploys(flags) && view.deployed !== true)
    throw new CliError('error', `${name} was saved as a draft; the service did not deploy it`)
  if (flags.wait === true)
    return await followRecord(session, client, kind, { name, noun: drafts ? 'deploy' : 'creation', timeoutMs })
  await answer(session, view, () => {
    if (drafts && !deploys(flags))
      return terminal.line(`Created ${name} as a draft; deploy it with \`svc ${kind.command} deploy ${name}\``)
    terminal.line(
      `Created ${name}; ${drafts ? 'its deploy was accepted, ' : ''}follow it with \`svc ${kind.command} get ${name}\``,
    )
  })
}
