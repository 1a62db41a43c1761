/** `svc __complete -- WORDS`: prints the candidates for the shell's script, one per line; it never fails. */
import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { View } from '../../contract/operations.ts'
import { recordKinds, type RecordKind } from '../records/record-kinds.ts'
import { environmentsOf } from '../../client/places.ts'
import { clientOf, openSession, type Cli } from '../session/session.ts'
import { findCandidates } from './candidates.ts'

/** A user waits at the prompt: candidates that the service does not return in time are left out. */
const waitMaxMs = 1500

/** @param words the words after `svc`, flags included, so the command parser must not parse them. */
export async function complete(cli: Cli, program: Command, words: readonly string[]): Promise<void> {
  const found = findCandidates(program, words)
  const typed = words.at(-1) ?? ''
  const names = await listNames(cli, program, found.asked)
  for (const word of [...found.words, ...names.filter((name) => name.startsWith(typed))]) cli.terminal.line(word)
}

/** The names that the service has of something. */
type Ask = (client: Client, signal: AbortSignal) => Promise<readonly string[]>

const apps: Ask = async (client, signal) => namesOf(await client.call('apps.list', {}, { signal }))

const databases = recordKinds.filter(({ argument }) => argument === 'database').map(recordsOf)
const resources = [apps, ...recordKinds.map(recordsOf)]

const projects: Ask = async (client, signal) => {
  const { items } = await client.call('projects.list', {}, { signal })
  // A readable name may have any characters, and bash puts a candidate into the line as it is: with a `;` or a `$` in
  // it the line would run what another person wrote, and with a dash in front it would be an option.
  const isWord = (name: string): boolean => /^[\p{L}\p{N}_][\p{L}\p{N}_.@:+-]*$/u.test(name)
  return items.flatMap(({ name, displayName }) => [name, displayName]).filter(isWord)
}

/** Environments of all projects: which one -p names is not parsed yet. */
const environments: Ask = async (client, signal) =>
  (await client.call('projects.list', {}, { signal })).items.flatMap(environmentsOf)

const nodes: Ask = async (client, signal) =>
  (await client.call('nodes.list', {}, { signal })).items.map(({ name }) => name)

const templates: Ask = async (client, signal) =>
  (await client.call('templates.list', {}, { signal })).items.map(({ id }) => id)

/** What lists the names, by the argument or the option whose value is being typed. */
const asks: Readonly<Record<string, readonly Ask[]>> = {
  app: [apps],
  ...Object.fromEntries(recordKinds.map((kind) => [kind.argument, [recordsOf(kind)]])),
  record: recordKinds.map(recordsOf),
  resource: resources,
  project: [projects],
  node: [nodes],
  template: [templates],
  '--project': [projects],
  '--environment': [environments],
  '--server': databases,
  '--service': [apps],
  '--resource': resources,
}

/** Names for an argument or an option, as far as the service gives them in time; never throws. */
export async function listNames(cli: Cli, program: Command, asked: string): Promise<string[]> {
  const lists = asks[asked]
  if (lists === undefined) return []
  try {
    const client = await clientOf(await openSession(cli, program))
    const signal = AbortSignal.timeout(waitMaxMs)
    const names = await Promise.all(lists.map(async (ask) => await ask(client, signal)))
    return [...new Set(names.flat())]
  } catch {
    return [] // not signed in or unreachable: no candidates, since an error would garble the prompt
  }
}

function recordsOf(kind: RecordKind): Ask {
  return async (client, signal) => namesOf(await kind.list(client, {}, signal))
}

const namesOf = ({ items }: View<'apps.list'>): string[] => items.map(({ name }) => name)
