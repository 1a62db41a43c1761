/** What a start builds before its first use: the command `npx svc`, and the dashboard. Fast when nothing changed. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** In a process of its own: this floor imports neither the command's code nor the dashboard's. */
const build = (...script: string[]) => promisify(execFile)(process.execPath, [join(root, ...script)])

/** Builds `npx svc`, so that the commands which a start recommends work at once. */
export async function buildCommandLine(): Promise<void> {
  await build('cli', 'bundle.ts')
}

/** The pages that the api serves at `/`. */
export async function buildDashboard(): Promise<void> {
  await build('dashboard', 'build.ts')
}
