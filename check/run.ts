/**
 * `npm run check [-- STEP…]`: one line per step; a breach is printed and fails it. The last line is `N passed, N
 * failed`.
 */
import { join } from 'node:path'
import { steps } from './steps.ts'
import type { Outcome } from './tool.ts'

const root = join(import.meta.dirname, '..')
const wanted = process.argv.slice(2)
const chosen = steps.filter((step) => wanted.length === 0 || wanted.some((word) => step.name.includes(word)))
if (chosen.length === 0) console.error(`no such check; there are: ${steps.map((step) => step.name).join(', ')}`)

let failed = chosen.length === 0 ? 1 : 0
for (const step of chosen) {
  const start = performance.now()
  // A check that cannot run (a file that it cannot parse, say) counts as failed; the others still run.
  const { ok, output, note }: Outcome = await step
    .run(root)
    .catch((error: unknown) => ({ ok: false, output: String(error) }))
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${step.name} (${seconds} s)${note === undefined ? '' : `: ${note}`}`)
  if (!ok) console.log(output.replaceAll(/^/gm, '       '))
  if (!ok) failed += 1
}
console.log(`${Math.max(0, chosen.length - failed)} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
