/** `svc config set-context`: makes a context or changes its address, project and environment. */
import { Command } from 'commander'
import { sameAddress } from '../../client/address.ts'
import { writeConfig, type SavedContext } from '../session/config-file.ts'
import { CliError } from '../session/exit-codes.ts'
import { answer, openSession, type Cli, type Session } from '../session/session.ts'
import { checkedAddress, type GlobalFlags } from '../session/settings.ts'

export function setContext(cli: Cli): Command {
  return new Command('set-context')
    .description('make a context, or change its address, project and environment (--url, -p, -e)')
    .argument('<name>', 'name of the context')
    .action(async (name: string, _: object, command: Command) => await run(await openSession(cli, command), name))
}

async function run(session: Session, name: string): Promise<void> {
  const { config, configPath, flags, terminal } = session
  const before = config.contexts[name]
  const { token: _, ...next } = changed(before, flags)
  const dropped = before?.token !== undefined && !sameAddress(before.url, next.url)
  // A token goes to its own address only: with another address the context is no longer signed in.
  const token = dropped || before?.token === undefined ? {} : { token: before.token }
  await writeConfig(configPath, {
    currentContext: config.currentContext ?? name,
    contexts: { ...config.contexts, [name]: { ...next, ...token } },
  })
  await answer(session, { ok: true, name, ...next }, () => {
    terminal.line(`Saved context ${name} (${next.url})`)
    if (dropped) terminal.note(`its login was for ${before.url} and is forgotten; sign in with \`svc login --context ${name}\``)
  })
}

/** An empty `-p ''` or `-e ''` takes the default away. */
function changed(before: SavedContext | undefined, { url, project, environment }: GlobalFlags): SavedContext {
  const address = url === undefined ? before?.url : checkedAddress(url)
  if (address === undefined) throw new CliError('usage', 'a new context needs an address: add --url ADDRESS')
  const merged: SavedContext = { ...before, url: address }
  for (const [key, value] of [
    ['project', project],
    ['environment', environment],
  ] as const) {
    if (value === '') delete merged[key]
    else if (value !== undefined) merged[key] = value
  }
  return merged
}
