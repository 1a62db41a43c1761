/** `svc stores list`. */
import { Command } from 'commander'
import { ownerQuery } from '../owner-query.ts'
import { answer, clientOf, openSession } from '../session.ts'
import type { Cli, Session } from '../session.ts'
import { printTable } from '../table.ts'

export function list(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list buckets, of one project with -p and one environment with -e')
    .action(async (_: object, command: Command) => await run(await openSession(cli, command)))
}

async function run(session: Session): Promise<void> {
  const { terminal, signal } = session
  const client = await clientOf(session)
  const view = await client.call('object-stores.list', await ownerQuery(session, client), { signal })
  await answer(session, view, async ({ items }) => {
    if (items.length === 0) return terminal.note('no buckets here')
    await printTable(
      terminal,
      ['name', 'project', 'environment', 'buckets', 'state', 'message'],
      items.map((it) => [it.name, it.project, it.environment, bucketsOf(it.details['buckets']), it.state, it.message]),
    )
  })
}

const bucketsOf = (names: unknown): string => (Array.isArray(names) ? names.join(', ') : '')
