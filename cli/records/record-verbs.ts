/** The verbs that databases, logical databases and buckets share. */
import { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { resourcePairs } from '../output/resource-text.ts'
import { printPairs, printTable } from '../output/table.ts'
import { ownerQuery } from '../session/place.ts'
import { answer, clientOf, confirmDelete, openSession, type Cli, type Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'
import { actAndFollowRecord, waitForRecordFlag } from './follow-record.ts'
import type { DeployedKind, ReachedKind, RecordKind } from './record-kinds.ts'

export function listVerb({ plural, columns, ...kind }: RecordKind, cli: Cli): Command {
  const command = new Command('list')
    .alias('ls')
    .description(`list ${plural}, of one project with -p and one environment with -e`)
  return command.action(async (_: object, called: Command) => {
    const session = await openSession(cli, called)
    const client = await clientOf(session)
    const view = await kind.list(client, await ownerQuery(session, client), session.signal)
    await answer(session, view, async ({ items }) => {
      if (items.length === 0) return session.terminal.note(`no ${plural} here`)
      await printTable(
        session.terminal,
        ['name', 'project', 'environment', ...Object.keys(columns), 'state', 'message'],
        items.map((it) => [
          it.name,
          it.project,
          it.environment,
          ...Object.values(columns).map((textOf) => textOf(it.details)),
          it.state,
          it.message,
        ]),
      )
    })
  })
}

export function getVerb(kind: RecordKind, cli: Cli): Command {
  return verb(kind, 'get', `show a ${kind.noun}`).action(async (name: string, _: object, command: Command) => {
    const session = await openSession(cli, command)
    const view = await kind.read(await clientOf(session), name, session.signal)
    await answer(session, view, () => printPairs(session.terminal, resourcePairs(view.resource)))
  })
}

export function deployVerb(kind: DeployedKind, cli: Cli): Command {
  return waiting(verb(kind, 'deploy', `deploy what is saved of a ${kind.noun}`)).action(
    async (name: string, flags: WaitFlags, command: Command) => {
      const session = await openSession(cli, command)
      const client = await clientOf(session)
      await act(
        session,
        client,
        kind,
        { name, noun: 'deploy', ...flags },
        async () => await kind.deploy(client, name, session.signal),
      )
    },
  )
}

export function retryVerb(kind: RecordKind, cli: Cli): Command {
  const description = `try the ${kind.work} of a ${kind.noun} again that has failed`
  return waiting(verb(kind, 'retry', description)).action(async (name: string, flags: WaitFlags, command: Command) => {
    const session = await openSession(cli, command)
    const client = await clientOf(session)
    await act(
      session,
      client,
      kind,
      { name, noun: kind.work, ...flags },
      async () => await kind.retry(client, name, session.signal),
    )
  })
}

export function deleteVerb(kind: RecordKind, cli: Cli): Command {
  const command = verb(kind, 'delete', `delete a ${kind.noun} for good`).option('--wait', 'wait until it is gone')
  if (kind.abandon !== undefined)
    command.option('--abandon', 'let it go without asking its cloud, which is gone for good; lists what stays there')
  return command
    .option(...timeoutFlag)
    .action(async (name: string, flags: WaitFlags & { abandon?: true }, called: Command) => {
      const session = await openSession(cli, called)
      const client = await clientOf(session)
      await confirmDelete(session, kind.noun, name)
      const ask = (flags.abandon === true ? kind.abandon : undefined) ?? kind.remove
      await act(session, client, kind, { name, noun: 'deletion', ...flags }, async () => {
        const done = await ask(client, name, session.signal)
        for (const it of done.stays ?? []) session.terminal.note(plainText(`Stays in the cloud: ${it}`))
        return done
      })
    })
}

export function connectionVerb(kind: ReachedKind, cli: Cli): Command {
  return verb(kind, 'connection', `show how a ${kind.noun} is reached`)
    .option('--reveal', 'show the password and the address that holds it; the service logs who asked')
    .action(async (name: string, flags: { reveal?: true }, command: Command) => {
      const session = await openSession(cli, command)
      const view = await kind.connection(
        await clientOf(session),
        name,
        flags.reveal === true ? { reveal: true } : {},
        session.signal,
      )
      const { host, port, database, username, password, uri } = view
      await answer(session, view, () => {
        printPairs(session.terminal, Object.entries({ host, port, database, username, password, uri }))
      })
    })
}

const verb = (kind: RecordKind, name: string, description: string): Command =>
  new Command(name).description(description).argument(`<${kind.argument}>`, `name of the ${kind.noun}`)

const waiting = (command: Command): Command => command.option(...waitForRecordFlag).option(...timeoutFlag)

type Asked = Parameters<typeof actAndFollowRecord>[3]

async function act(
  session: Session,
  client: Client,
  kind: RecordKind,
  asked: Asked,
  ask: () => Promise<unknown>,
): Promise<void> {
  if (asked.wait === true) return await actAndFollowRecord(session, client, kind, asked, ask)
  const { name, noun } = asked
  await answer(session, await ask(), () => {
    if (noun === 'deletion') return session.terminal.line(`Deleting ${name}`)
    session.terminal.line(`The ${noun} of ${name} was accepted`)
    session.terminal.line(`Follow it with \`svc ${kind.command} get ${name}\``)
  })
}
