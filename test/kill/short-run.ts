/** A short seeded part of `npm run test:kill`, for tests: a process of its own, with servers of its own. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'

/** Runs `npm run test:kill` with the arguments, expects that each kill held, and returns what the run printed. */
export async function expectHeld(runs: number, ...args: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-kills-'))
  const results = join(folder, 'results.jsonl')
  try {
    let said = ''
    const child = spawn(process.execPath, ['test/kill/run.ts', '--runs', String(runs), '--results', results, ...args])
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += String(text)))
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    expect(code, said).to.equal(0)
    const lines = readFileSync(results, 'utf8').trim().split('\n')
    const outcomes = lines.map((line) => (JSON.parse(line) as { outcome: string }).outcome)
    expect(outcomes).to.deep.equal(Array.from({ length: runs }, () => 'held'))
    return said
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
