/** What follows a change of variables: nothing, a deploy, or a deploy that is waited for. */
import type { Client } from '../../client/client.ts'
import { answer, type Session } from '../session/session.ts'
import { actAndFollow } from '../wait/follow-deploy.ts'
import type { WaitFlags } from '../wait/follow.ts'

export const deployFlag = ['--deploy', 'deploy the service with the change'] as const
export const waitForChangeFlag = ['--wait', 'deploy and wait until it is complete or has failed'] as const

export async function deployChange(session: Session, client: Client, app: string, flags: WaitFlags & { deploy?: boolean }, done: string): Promise<void> {
  const { terminal, signal } = session
  const json = session.flags.json === true
  const deploy = async (): Promise<void> => void (await client.call('apps.deploy', { app }, { signal }))
  if (flags.wait === true) {
    if (!json) terminal.line(`${done}; deploying ${app}`)
    return await actAndFollow(session, client, app, flags, deploy)
  }
  if (flags.deploy === true) await deploy()
  await answer(session, { ok: true, deployed: flags.deploy === true }, () => {
    terminal.line(flags.deploy === true ? `${done}; the deploy of ${app} was accepted` : `${done}; it takes effect with the next deploy: \`svc deploy ${app}\``)
  })
}
