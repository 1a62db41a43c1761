/** `svc __complete -- WORDS`: prints the candidates for the shell's script, one a line; it never complains. */
import type { Command } from 'commander'
import { clientOf, openSession } from '../session.ts'
import type { Cli } from '../session.ts'
import { findCandidates } from './candidates.ts'

/** A person waits at the prompt: a service that does not answer by then is left out. */
const patienceMs = 1500

/** @param words what was typed after `svc`, flags included, so the parser of commands must not see them. */
export async function complete(cli: Cli, program: Command, words: readonly string[]): Promise<void> {
  const found = findCandidates(program, words)
  const typed = words.at(-1) ?? ''
  const apps = found.wantsApp ? await listApps(cli, program) : []
  for (const word of [...found.words, ...apps.filter((name) => name.startsWith(typed))]) cli.terminal.line(word)
}

async function listApps(cli: Cli, program: Command): Promise<string[]> {
  try {
    const client = await clientOf(await openSession(cli, program))
    const { items } = await client.call('apps.list', {}, { signal: AbortSignal.timeout(patienceMs) })
    return items.map(({ name }) => name)
  } catch {
    return [] // not signed in, not reachable: the shell has nothing to offer, and an error would garble the prompt
  }
}
