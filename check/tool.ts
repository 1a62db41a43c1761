/** Runs a checking tool of the project over a source tree. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

const bin = join(import.meta.dirname, '../node_modules/.bin')

export interface Outcome {
  ok: boolean
  /** The tool's output, when it found something. */
  output: string
  /** Worth a note although the check passed. */
  note?: string
}

/** Runs `node_modules/.bin/<tool>` under this Node with `cwd` as its folder; rejects when it cannot be started. */
export async function runTool(tool: string, args: readonly string[], cwd: string): Promise<Outcome> {
  const child = spawn(process.execPath, [join(bin, tool), ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const parts: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => parts.push(part))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { ok: code === 0, output: parts.join('').trim() }
}
