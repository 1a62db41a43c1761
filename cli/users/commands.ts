/**
 * `svc users`: the users that may sign in with a password. Only a signed-in admin may change them, never a token: each
 * command asks for the password.
 */
import { Command, Option } from 'commander'
import type { Client } from '../../client/client.ts'
import type { View } from '../../contract/operations.ts'
import { answerList, listFlags, type ListFlags } from '../output/list.ts'
import { answer, confirmDelete, openSession, type Cli, type Session } from '../session/session.ts'
import { openDoor, type Door, type DoorFlags } from '../session/password-session.ts'
import { userRoles } from '../../contract/fields/words.ts'

type User = View<'users.list'>['items'][number]
type Role = 'admin' | 'viewer'
type Act = (session: Session, client: Client, door: Door) => Promise<void>

export function userCommands(cli: Cli): Command {
  const users = new Command('users').alias('user').description('work with the users who sign in with a password')
  for (const make of [list, add, setPassword, setRole, remove]) users.addCommand(make(cli))
  return users
}

function list(cli: Cli): Command {
  return listFlags(verb('list', 'list users and their roles').alias('ls')).action(
    async (flags: DoorFlags & ListFlags, command: Command) =>
      await act(cli, command, flags, async (session, client) => {
        const view = await client.call('users.list', {}, { signal: session.signal })
        const columns = { user: (it: User) => it.username, role: (it: User) => it.role }
        await answerList(session, view, flags, { items: view.items, columns, none: 'no users' })
      }),
  )
}

function add(cli: Cli): Command {
  return verb('add', 'add a user; the password is asked for')
    .argument('<user>', 'name of the user')
    .addOption(roleOption().default('viewer'))
    .action(
      async (username: string, flags: DoorFlags & { role: Role }, command: Command) =>
        await act(cli, command, flags, async (session, client, door) => {
          const password = await door.newPassword(username)
          const view = await client.call(
            'users.create',
            { username, password, role: flags.role },
            { signal: session.signal },
          )
          await answer(session, view, () => session.terminal.line(`${username} may sign in (${flags.role})`))
        }),
    )
}

function setPassword(cli: Cli): Command {
  return verb('set-password', 'give a user another password, or yourself; ends the sessions of the user')
    .argument('<user>', 'name of the user')
    .action(
      async (username: string, flags: DoorFlags, command: Command) =>
        await act(cli, command, flags, async (session, client, door) => {
          const password = await door.newPassword(username)
          const view =
            username === flags.as
              ? await client.call(
                  'users.change-password',
                  { currentPassword: door.password, newPassword: password },
                  { signal: session.signal },
                )
              : await client.call('users.set-password', { username, password }, { signal: session.signal })
          await answer(session, view, () =>
            session.terminal.line(`${username} has another password; earlier sessions are over`),
          )
        }),
    )
}

function setRole(cli: Cli): Command {
  return verb('set-role', 'make a user admin or viewer; ends the sessions of the user')
    .argument('<user>', 'name of the user')
    .argument('<role>', 'admin or viewer')
    .action(
      async (username: string, role: Role, flags: DoorFlags, command: Command) =>
        await act(cli, command, flags, async (session, client) => {
          const view = await client.call('users.set-role', { username, role }, { signal: session.signal })
          await answer(session, view, () => session.terminal.line(`${username} is ${role}`))
        }),
    )
}

function remove(cli: Cli): Command {
  return verb('remove', 'remove a user; ends the sessions of the user')
    .alias('rm')
    .argument('<user>', 'name of the user')
    .action(async (username: string, flags: DoorFlags, command: Command) => {
      const session = await openSession(cli, command)
      await confirmDelete(session, { kind: 'user', name: username })
      const { client } = await openDoor(session, flags)
      const view = await client.call('users.remove', { username, confirmName: username }, { signal: session.signal })
      await answer(session, view, () => {
        session.terminal.line(`${username} is removed`)
        if (view.tokens === 1)
          session.terminal.note(`note: 1 token that ${username} made goes on working; revoke it if it should not`)
        else if (view.tokens > 1)
          session.terminal.note(
            `note: ${view.tokens} tokens that ${username} made go on working; revoke those that should not`,
          )
      })
    })
}

function verb(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--as <admin>', 'admin to sign in as', 'admin')
    .option(
      '--password-stdin',
      "read from standard input instead of asking: the admin's password, and on the next line the user's",
    )
}

const roleOption = (): Option => new Option('--role <role>', 'what the user may do').choices(userRoles)

async function act(cli: Cli, command: Command, flags: DoorFlags, run: Act): Promise<void> {
  const session = await openSession(cli, command)
  const door = await openDoor(session, flags)
  await run(session, door.client, door)
}
