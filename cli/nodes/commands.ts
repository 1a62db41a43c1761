/** `svc nodes`: the nodes of the cluster, their places and their tags. */
import { Command } from 'commander'
import type { View } from '../../contract/operations.ts'
import { answerList, listFlags, type ListFlags } from '../output/list.ts'
import { CliError } from '../session/exit-codes.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

export function nodeCommands(cli: Cli): Command {
  return new Command('nodes')
    .alias('node')
    .description('work with the nodes of the cluster')
    .addCommand(list(cli))
    .addCommand(tag(cli))
}

type Node = View<'nodes.list'>['items'][number]

function list(cli: Cli): Command {
  const command = new Command('list').alias('ls').description('list nodes with their region, zone and tags')
  return listFlags(command).action(
    async (flags: ListFlags, called: Command) => await runList(await openSession(cli, called), flags),
  )
}

async function runList(session: Session, flags: ListFlags): Promise<void> {
  const view = await (await clientOf(session)).call('nodes.list', {}, { signal: session.signal })
  await answerList(session, view, flags, {
    items: view.items,
    columns: {
      node: (node) => node.name,
      status: statusOf,
      region: (node) => node.region,
      zone: (node) => node.zone,
      cpu: (node) => node.cpu,
      memory: (node) => node.memory,
      tags: (node) => node.tags.map(tagText).join(', '),
    },
    none: 'no nodes',
  })
}

function statusOf({ ready, schedulable, controlPlane }: Node): string {
  return [
    ready ? 'ready' : 'not ready',
    ...(schedulable ? [] : ['cordoned']),
    ...(controlPlane ? ['control plane'] : []),
  ].join(', ')
}

/** Compliance tags are reserved in any case. */
function tagText({ name, reserved, compliance }: Node['tags'][number]): string {
  if (compliance) return `${name} (compliance)`
  return reserved ? `${name} (reserved)` : name
}

interface TagFlags {
  reserved?: string[]
  compliance?: string[]
  region?: string
  zone?: string
  clear?: boolean
}

/**
 * Changes some of the tags, region and zone of a node; the service replaces all of them, so the others are read first.
 */
function tag(cli: Cli): Command {
  return new Command('tag')
    .description('add tags to a node, or take them away: `svc nodes tag NODE fast slow-`')
    .argument('<node>', 'name of the node')
    .argument('[tags...]', 'tags to add; with a dash at its end a tag is taken away')
    .option('--reserved <tags...>', 'tags to add that keep other workloads away')
    .option('--compliance <tags...>', 'tags to add that projects may require; reserved, too')
    .option('--region <region>', 'region the node is in; an empty text for none')
    .option('--zone <zone>', 'zone the node is in; an empty text for none')
    .option('--clear', 'take away all the tags it has before')
    .action(
      async (node: string, tags: string[], flags: TagFlags, command: Command) =>
        await runTag(await openSession(cli, command), node, tags, flags),
    )
}

async function runTag(session: Session, name: string, tags: readonly string[], flags: TagFlags): Promise<void> {
  const { terminal, signal } = session
  if (tags.length === 0 && Object.keys(flags).length === 0)
    throw new CliError('usage', 'say what to change: tags, --region, --zone or --clear')
  const client = await clientOf(session)
  const { items } = await client.call('nodes.list', {}, { signal })
  const node = items.find((each) => each.name === name)
  if (node === undefined) throw new CliError('notFound', `there is no node ${name}`)
  const view = await client.call('nodes.placement', { node: name, ...placementOf(node, tags, flags) }, { signal })
  await answer(session, view, ({ warnings }) => {
    terminal.line(`${name} is tagged`)
    for (const warning of warnings) terminal.note(`warning: ${warning}`)
  })
}

/** A tag in the flags gets the kind given there (plain, reserved, compliance), whatever kind it had. */
function placementOf(
  node: Node,
  tags: readonly string[],
  { reserved = [], compliance = [], region = node.region, zone = node.zone, clear }: TagFlags,
) {
  const gone = tags.filter((each) => each.endsWith('-')).map((each) => each.slice(0, -1))
  const plain = tags.filter((each) => !each.endsWith('-'))
  const named = new Set([...gone, ...plain, ...reserved, ...compliance])
  const kept = clear === true ? [] : node.tags.filter(({ name }) => !named.has(name))
  const namesOf = (found: readonly Node['tags'][number][]) => found.map(({ name }) => name)
  return {
    region,
    zone,
    tags: [...namesOf(kept.filter((each) => !each.reserved && !each.compliance)), ...plain],
    reserved: [...namesOf(kept.filter((each) => each.reserved && !each.compliance)), ...reserved],
    compliance: [...namesOf(kept.filter((each) => each.compliance)), ...compliance],
  }
}
