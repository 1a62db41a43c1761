/** `svc apps git-webhook`: what is pasted at the git server of a service, so that its pushes deploy. */
import { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { printPairs } from '../output/table.ts'
import { CliError } from '../session/exit-codes.ts'
import { answer, clientOf, openSession, type Cli } from '../session/session.ts'

interface GitWebhookFlags {
  reveal?: true
  rotate?: true
}

export function gitWebhook(cli: Cli): Command {
  return new Command('git-webhook')
    .description('show where Gitea, Forgejo or GitLab send the pushes of a service, and the secret they sign with')
    .argument('<app>', 'name of the service')
    .option('--reveal', 'show the secret; the service logs who asked')
    .option('--rotate', 'make the secret, or replace it; only the new one counts from then on')
    .action(async (app: string, flags: GitWebhookFlags, command: Command) => {
      const session = await openSession(cli, command)
      const view = await ask(await clientOf(session), app, flags, session.signal)
      await answer(session, view, () => {
        printPairs(session.terminal, Object.entries({ url: view.url, secret: view.secret }))
        if ('configured' in view && !view.configured)
          session.terminal.note(`no secret was made yet: \`svc apps git-webhook ${app} --rotate\` makes it`)
      })
    })
}

async function ask(client: Client, app: string, { reveal, rotate }: GitWebhookFlags, signal: AbortSignal) {
  if (reveal === true && rotate === true) throw new CliError('usage', '--rotate shows the secret: leave --reveal out')
  if (rotate === true) return await client.call('apps.git-webhook-rotate', { app }, { signal })
  return await client.call('apps.git-webhook', { app, ...(reveal === true ? { reveal } : {}) }, { signal })
}
