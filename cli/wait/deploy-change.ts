/** The end of a change of a service: without `--deploy` or `--wait` it is pending until the next deploy. */
import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { answer, type Session } from '../session/session.ts'
import { actAndFollow } from './follow-deploy.ts'
import { timeoutFlag, type WaitFlags } from './follow.ts'

export interface ChangeFlags extends WaitFlags {
  deploy?: boolean
}

export const deployFlag = ['--deploy', 'deploy the service with the change'] as const
export const waitForChangeFlag = ['--wait', 'deploy and wait until it is complete or has failed'] as const

/** Gives a command the flags of every change that takes effect with a deploy. */
export const changeFlags = (command: Command): Command =>
  command
    .option(...deployFlag)
    .option(...waitForChangeFlag)
    .option(...timeoutFlag)

export const deploysChange = ({ deploy, wait }: ChangeFlags): boolean => deploy === true || wait === true

/** Ends a change that is saved: with nothing, a deploy, or a deploy and a wait for it. @param done what was saved. */
export async function deployChange(
  session: Session,
  client: Client,
  app: string,
  flags: ChangeFlags,
  done: string,
): Promise<void> {
  const { terminal, signal } = session
  const json = session.flags.json === true
  const deploy = async (): Promise<void> => void (await client.call('apps.deploy', { app }, { signal }))
  if (flags.wait === true) {
    if (!json) terminal.line(`${done}; deploying ${app}`)
    return await actAndFollow(session, client, app, flags, deploy)
  }
  if (flags.deploy === true) await deploy()
  await answer(session, { ok: true, deployed: flags.deploy === true }, () => {
    terminal.line(
      flags.deploy === true
        ? `${done}; the deploy of ${app} was accepted`
        : `${done}; it takes effect with the next deploy: \`svc deploy ${app}\``,
    )
  })
}
