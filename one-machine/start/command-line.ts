/** The command `npx svc`: built before its first use, so that the commands a start recommends work at once. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Runs the bundler in its own process: this floor does not import the command's code. Fast when nothing changed. */
export async function buildCommandLine(): Promise<void> {
  await promisify(execFile)(process.execPath, [
    join(fileURLToPath(new URL('../..', import.meta.url)), 'cli', 'bundle.ts'),
  ])
}
