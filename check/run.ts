/**
 * `npm run check [-- STEP…]`: one line per step; a breach is printed and fails it. The last line is `N passed, N
 * failed`.
 */
import { join } from 'node:path'
import { type Step, steps } from './steps.ts'
import type { Outcome } from './tool.ts'

const root = join(import.meta.dirname, '..')
const wanted = process.argv.slice(2)
const chosen = steps.filter((step) => wanted.length === 0 || wanted.some((word) => step.name.includes(word)))
if (chosen.length === 0) console.error(`no such check; there are: ${steps.map((step) => step.name).join(', ')}`)

/** Formatting keeps one core busy while types and lint are checked on the other. */
const atOnce = 2

interface Ended extends Outcome {
  seconds: string
}

async function end(step: Step): Promise<Ended> {
  const start = performance.now()
  // A check that cannot run (a file that it cannot parse, say) counts as failed; the others still run.
  const outcome = await step.run(root).catch((error: unknown): Outcome => ({ ok: false, output: String(error) }))
  return { ...outcome, seconds: ((performance.now() - start) / 1000).toFixed(1) }
}

const waiting = chosen.map((step) => ({ step, ended: Promise.withResolvers<Ended>() }))
const turns = waiting.values()
async function work(): Promise<void> {
  for (const { step, ended } of turns) ended.resolve(await end(step))
}
for (let worker = 0; worker < atOnce; worker += 1) void work()

let failed = chosen.length === 0 ? 1 : 0
for (const { step, ended } of waiting) {
  const { ok, output, note, seconds } = await ended.promise
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${step.name} (${seconds} s)${note === undefined ? '' : `: ${note}`}`)
  if (!ok) console.log(output.replaceAll(/^/gm, '       '))
  if (!ok) failed += 1
}
console.log(`${Math.max(0, chosen.length - failed)} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
