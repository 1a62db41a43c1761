/** `svc __complete -- WORDS`: prints the candidates for the shell's script, one per line; it never fails. */
import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { View } from '../../contract/operations.ts'
import { recordKinds, type RecordKind } from '../records/record-kinds.ts'
import { clientOf, openSession, type Cli } from '../session/session.ts'
import { findCandidates } from './candidates.ts'

/** A user waits at the prompt: candidates that the service does not return in time are left out. */
const patienceMs = 1500

/** @param words the words after `svc`, flags included, so the command parser must not parse them. */
export async function complete(cli: Cli, program: Command, words: readonly string[]): Promise<void> {
  const found = findCandidates(program, words)
  const typed = words.at(-1) ?? ''
  const names = await listNames(cli, program, found.argument)
  for (const word of [...found.words, ...names.filter((name) => name.startsWith(typed))]) cli.terminal.line(word)
}

type List = (client: Client, signal: AbortSignal) => Promise<View<'apps.list'>>

/** The lists of candidates, by argument name. */
const lists: Readonly<Record<string, readonly List[]>> = {
  app: [async (client, signal) => await client.call('apps.list', {}, { signal })],
  ...Object.fromEntries(recordKinds.map((kind) => [kind.argument, [listOf(kind)]])),
  record: recordKinds.map(listOf),
  resource: [async (client, signal) => await client.call('apps.list', {}, { signal }), ...recordKinds.map(listOf)],
}

/** Names that fit an argument, as far as the service gives them in time; never throws. */
export async function listNames(cli: Cli, program: Command, argument: string): Promise<string[]> {
  const asked = lists[argument]
  if (asked === undefined) return []
  try {
    const client = await clientOf(await openSession(cli, program))
    const signal = AbortSignal.timeout(patienceMs)
    const views = await Promise.all(asked.map(async (list) => await list(client, signal)))
    return views.flatMap(({ items }) => items.map(({ name }) => name))
  } catch {
    return [] // not signed in or unreachable: no candidates, since an error would garble the prompt
  }
}

function listOf(kind: RecordKind): List {
  return async (client, signal) => await kind.list(client, {}, signal)
}
