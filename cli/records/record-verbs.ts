/** The verbs that databases, logical databases and buckets share. */
import { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { answerList, listFlags, type ListFlags } from '../output/list.ts'
import { moreColumns, resourcePairs } from '../output/resource-text.ts'
import { printPairs } from '../output/table.ts'
import { parseDurationMs } from '../session/flags.ts'
import { ownerQuery, placeText } from '../session/place.ts'
import { answer, clientOf, confirmDelete, openSession, type Cli, type Session } from '../session/session.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'
import { followBackup, waitForBackupFlag } from '../wait/follow-backup.ts'
import { actAndFollowDeletion, actAndFollowRecord, followRecord, ofRecord, waitForRecordFlag } from './follow-record.ts'
import type { DeployedKind, ReachedKind, RecordKind } from './record-kinds.ts'

export function listVerb({ plural, columns, ...kind }: RecordKind, cli: Cli): Command {
  const command = new Command('list')
    .alias('ls')
    .description(`list ${plural}, of one project with -p and one environment with -e`)
  return listFlags(command).action(async (flags: ListFlags, called: Command) => {
    const session = await openSession(cli, called)
    const client = await clientOf(session)
    const view = await kind.list(client, await ownerQuery(session, client), session.signal)
    await answerList(session, view, flags, {
      items: view.items,
      columns: {
        name: (it) => it.name,
        project: (it) => it.project,
        environment: (it) => it.environment,
        ...columns,
        state: (it) => it.state,
        message: (it) => it.message,
      },
      more: { pending: (it) => String(it.pendingChanges), ...moreColumns },
      client,
      none: `no ${plural} here`,
    })
  })
}

export function getVerb(kind: RecordKind, cli: Cli): Command {
  return waiting(verb(kind, 'get', `show a ${kind.noun}`)).action(
    async (name: string, { wait, timeout }: WaitFlags, command: Command) => {
      const session = await openSession(cli, command)
      const timeoutMs = await parseDurationMs('--timeout', timeout)
      const client = await clientOf(session)
      if (wait === true) return await followRecord(session, client, kind, { name, noun: kind.work, timeoutMs })
      const view = await kind.read(client, name, session.signal)
      await answer(session, view, () => printPairs(session.terminal, resourcePairs(view.resource)))
    },
  )
}

export function deployVerb(kind: DeployedKind, cli: Cli): Command {
  const command = verb(kind, 'deploy', `deploy what is saved of a ${kind.noun}`)
  if (kind.deployAtOnce !== undefined) command.option('--no-backup', 'take no backup before another version')
  return waiting(command).action(async (name: string, flags: WaitFlags & { backup?: boolean }, called: Command) => {
    const session = await openSession(cli, called)
    const client = await clientOf(session)
    const ask = (flags.backup === false ? kind.deployAtOnce : undefined) ?? kind.deploy
    const asked = { name, noun: 'deploy', ...flags } as const
    await act(session, client, kind, asked, async () => await ask(client, name, session.signal))
  })
}

export function discardVerb(kind: DeployedKind, cli: Cli): Command {
  const description = `drop what is saved of a ${kind.noun} and not deployed`
  return verb(kind, 'discard', description).action(async (name: string, _flags: object, called: Command) => {
    const session = await openSession(cli, called)
    const client = await clientOf(session)
    const done = await kind.discard(client, name, session.signal)
    await answer(session, done, () => session.terminal.line('Discarded'))
  })
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

export function backupVerb(kind: RecordKind, cli: Cli): Command {
  return verb(kind, 'backup', `back up ${kind.backedUp} now`)
    .option(...waitForBackupFlag)
    .option(...timeoutFlag)
    .action(async (name: string, { wait, timeout }: WaitFlags, called: Command) => {
      const session = await openSession(cli, called)
      const timeoutMs = await parseDurationMs('--timeout', timeout)
      const client = await clientOf(session)
      const view = await kind.backup(client, name, session.signal)
      if (wait === true) return await followBackup(session, client, view.archive, timeoutMs)
      await answer(session, view, () => {
        session.terminal.line(`Backing up ${name} as ${view.archive}; look with \`svc databases archives ${name}\``)
      })
    })
}

export function deleteVerb(kind: RecordKind, cli: Cli): Command {
  const command = verb(kind, 'delete', `delete a ${kind.noun} for good`).option('--wait', 'wait until it is gone')
  if (kind.abandon !== undefined)
    command.option('--abandon', 'delete it without asking its cloud, which is gone for good; lists what stays there')
  if (kind.removeAtOnce !== undefined) command.option('--no-backup', 'take no last backup before it goes')
  return command
    .option(...timeoutFlag)
    .action(async (name: string, flags: WaitFlags & { abandon?: true; backup?: boolean }, called: Command) => {
      const session = await openSession(cli, called)
      const client = await clientOf(session)
      const where = async () =>
        await placeText(session, client, (await kind.read(client, name, session.signal)).resource)
      await confirmDelete(session, { kind: kind.noun, name, where })
      const atOnce = flags.backup === false ? kind.removeAtOnce : undefined
      const ask = (flags.abandon === true ? kind.abandon : atOnce) ?? kind.remove
      const deletion = async () => {
        const done = await ask(client, name, session.signal)
        for (const it of done.stays ?? []) session.terminal.note(`Stays in the cloud: ${it}`)
        return done
      }
      if (flags.wait !== true) {
        await answer(session, await deletion(), () => session.terminal.line(`Deleting ${name}`))
        return
      }
      const read = async (signal: AbortSignal) => await kind.read(client, name, signal)
      const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
      const gone = { name, read, concerns: ofRecord(kind, name), look: `svc ${kind.command} get ${name}`, timeoutMs }
      await actAndFollowDeletion(session, client, gone, deletion)
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
    session.terminal.line(`The ${noun} of ${name} was accepted`)
    session.terminal.line(`Follow it with \`svc ${kind.command} get ${name}\``)
  })
}
