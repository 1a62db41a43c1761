/** `svc config`: the saved contexts; tokens are never shown. */
import { Command } from 'commander'
import { sameAddress } from '../../client/address.ts'
import { answerList, listFlags, type ListFlags } from '../output/list.ts'
import { writeConfig, type SavedContext } from '../session/config-file.ts'
import { CliError } from '../session/exit-codes.ts'
import { answer, openSession, type Cli, type Session } from '../session/session.ts'
import { checkedAddress, type GlobalFlags } from '../session/target.ts'

export function configCommands(cli: Cli): Command {
  return new Command('config')
    .description('show and choose saved contexts (a service with its login and defaults)')
    .addCommand(getContexts(cli))
    .addCommand(useContext(cli))
    .addCommand(setContext(cli))
}

function getContexts(cli: Cli): Command {
  return listFlags(new Command('get-contexts').description('list saved contexts')).action(
    async (flags: ListFlags, called: Command) => await runGet(await openSession(cli, called), flags),
  )
}

async function runGet(session: Session, flags: ListFlags): Promise<void> {
  const { config } = session
  const items = Object.entries(config.contexts).map(([name, { token, ...context }]) => ({
    name,
    current: name === config.currentContext,
    signedIn: token !== undefined,
    ...context,
  }))
  type Item = (typeof items)[number]
  await answerList(session, { items }, flags, {
    items,
    columns: {
      '': (it: Item) => (it.current ? '*' : ''),
      name: (it: Item) => it.name,
      address: (it: Item) => it.url,
      project: (it: Item) => it.project ?? '',
      environment: (it: Item) => it.environment ?? '',
      'signed in': (it: Item) => (it.signedIn ? 'yes' : 'no'),
    },
    named: 'name',
    none: 'no saved contexts; `svc login --url ADDRESS` makes one',
  })
}

function useContext(cli: Cli): Command {
  return new Command('use-context')
    .description('make a saved context the current one')
    .argument('<name>', 'name of the context')
    .action(async (name: string, _: object, command: Command) => await runUse(await openSession(cli, command), name))
}

async function runUse(session: Session, name: string): Promise<void> {
  const { config, configPath, terminal } = session
  const context = config.contexts[name]
  if (context === undefined) throw new CliError('notFound', `no saved context is called ${name}`)
  await writeConfig(configPath, { ...config, currentContext: name })
  await answer(session, { ok: true, context: name }, () => terminal.line(`Using ${name} (${context.url})`))
}

/** Creates a context, or changes its address, project and environment. */
function setContext(cli: Cli): Command {
  return new Command('set-context')
    .description('make a context, or change its address, project and environment (--url, -p, -e)')
    .argument('<name>', 'name of the context')
    .action(async (name: string, _: object, command: Command) => await runSet(await openSession(cli, command), name))
}

async function runSet(session: Session, name: string): Promise<void> {
  const { config, configPath, flags, terminal } = session
  const before = config.contexts[name]
  const { token: _, ...next } = changed(before, flags)
  const dropped = before?.token !== undefined && !sameAddress(before.url, next.url)
  // A token is only sent to its own address: with another address the context is signed out.
  const token = dropped || before?.token === undefined ? {} : { token: before.token }
  await writeConfig(configPath, {
    currentContext: config.currentContext ?? name,
    contexts: { ...config.contexts, [name]: { ...next, ...token } },
  })
  await answer(session, { ok: true, name, ...next }, () => {
    terminal.line(`Saved context ${name} (${next.url})`)
    if (dropped)
      terminal.note(`its login was for ${before.url} and is forgotten; sign in with \`svc login --context ${name}\``)
  })
}

/** An empty `-p ''` or `-e ''` removes the default. */
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
