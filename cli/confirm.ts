/** Asks before something is deleted: the name is typed again, unless `--yes`. */
import { CliError } from './exit-codes.ts'
import type { Session } from './session.ts'

/** @throws CliError `usage` when nobody can be asked, `error` when the name does not match. */
export async function confirmDelete({ flags, terminal }: Session, kind: string, name: string): Promise<void> {
  if (flags.yes === true) return
  const typed = await terminal.ask(`Delete ${kind} ${name} for good? Type its name to confirm: `)
  if (typed.trim() !== name) throw new CliError('error', `cancelled: the name did not match, nothing was deleted`)
}
