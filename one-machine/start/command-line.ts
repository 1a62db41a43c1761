/** The command `npx svc`: built before its first use, so that the commands a start recommends work at once. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/**
 * Runs the bundler in a process of its own: this floor does not know the command's code. Quick when nothing changed.
 */
export async function buildCommandLine(): Promise<void> {
  await promisify(execFile)(process.execPath, [
    join(fileURLToPath(new URL('../..', import.meta.url)), 'cli', 'bundle.ts'),
  ])
}
