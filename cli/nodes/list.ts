/** `svc nodes list`. */
import { Command } from 'commander'
import type { View } from '../../contract/operations.ts'
import { printTable } from '../output/table.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

type Node = View<'nodes.list'>['items'][number]

export function list(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list nodes with their region, zone and tags')
    .action(async (_: object, command: Command) => await run(await openSession(cli, command)))
}

async function run(session: Session): Promise<void> {
  const view = await (await clientOf(session)).call('nodes.list', {}, { signal: session.signal })
  await answer(session, view, ({ items }) =>
    printTable(
      session.terminal,
      ['node', 'status', 'region', 'zone', 'cpu', 'memory', 'tags'],
      items.map((node) => [node.name, statusOf(node), node.region, node.zone, node.cpu, node.memory, node.tags.map(tagText).join(', ')]),
    ),
  )
}

function statusOf({ ready, schedulable, controlPlane }: Node): string {
  return [ready ? 'ready' : 'not ready', ...(schedulable ? [] : ['cordoned']), ...(controlPlane ? ['control plane'] : [])].join(', ')
}

/** Compliance tags are reserved in any case. */
export function tagText({ name, reserved, compliance }: Node['tags'][number]): string {
  if (compliance) return `${name} (compliance)`
  return reserved ? `${name} (reserved)` : name
}
