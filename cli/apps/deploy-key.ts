/** `svc apps deploy-key`: what is pasted at a git server, so that svc may read the repository of a service over ssh. */
import { Command } from 'commander'
import { printPairs } from '../output/table.ts'
import { CliError } from '../session/exit-codes.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

interface DeployKeyFlags {
  rotate?: true
  remove?: true
}

export function deployKey(cli: Cli): Command {
  return new Command('deploy-key')
    .description('show the public key with which svc reads the repository of a service over ssh')
    .argument('<app>', 'name of the service')
    .option('--rotate', 'make the key, or replace it; the git server needs the new one before the next build')
    .option('--remove', 'remove the key; builds over ssh fail from then on')
    .action(async (app: string, flags: DeployKeyFlags, command: Command) => {
      if (flags.rotate === true && flags.remove === true)
        throw new CliError('usage', '--rotate and --remove cannot be used together')
      await run(await openSession(cli, command), app, flags)
    })
}

async function run(session: Session, app: string, { rotate, remove }: DeployKeyFlags): Promise<void> {
  const { terminal, signal } = session
  const client = await clientOf(session)
  if (remove === true) {
    const gone = await client.call('apps.deploy-key-delete', { app }, { signal })
    return await answer(session, gone, () => terminal.line(`The deploy key of ${app} was removed`))
  }
  if (rotate === true) {
    const made = await client.call('apps.deploy-key-rotate', { app }, { signal })
    return await answer(session, made, () => {
      terminal.line(made.publicKey)
      terminal.note(`${made.fingerprint}: add it to the repository as a key that may read`)
    })
  }
  const view = await client.call('apps.deploy-key', { app }, { signal })
  await answer(session, view, () => {
    if (!view.configured) return terminal.note(`no key was made yet: \`svc apps deploy-key ${app} --rotate\` makes it`)
    const { publicKey, fingerprint, hosts } = view
    printPairs(terminal, Object.entries({ key: publicKey, fingerprint, hosts: hosts.join(', ') }))
  })
}
