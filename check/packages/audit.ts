/** Queries the package registry for known vulnerabilities of runtime packages. */
import { execFile } from 'node:child_process'
import { z } from 'zod'
import type { Outcome } from '../tool.ts'

const answerWithinMs = 10_000
const stopAfterMs = 20_000

const report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({ severity: z.string(), range: z.string().catch(''), fixAvailable: z.unknown() }),
  ),
})
const trouble = z.object({
  message: z.string().catch(''),
  error: z.object({ code: z.string().catch('') }).catch({ code: '' }),
})

/** Faults of the project rather than of the connection to the registry: the query is not possible. */
const ownFaults = new Set(['ENOLOCK', 'EJSONPARSE', 'EUSAGE'])

/**
 * Fails for a runtime package with a vulnerability of severity high or critical. A registry that does not answer, or
 * does not support the query, fails nothing: the note of the outcome reports it.
 */
export async function checkAudit(root: string, env = process.env): Promise<Outcome> {
  const text = await runAudit(root, env)
  const answer = fromJson(text)
  const reported = report.safeParse(answer)
  if (reported.success) return judge(reported.data)
  const why = trouble.safeParse(answer)
  if (!why.success || ownFaults.has(why.data.error.code))
    return { ok: false, output: text.trim() || 'npm audit said nothing' }
  return { ok: true, output: '', note: `not answered: ${why.data.message || why.data.error.code || 'no reason given'}` }
}

/** npm's output, also when it fails: its exit code is the same for a vulnerability and a closed network. */
function runAudit(root: string, env: NodeJS.ProcessEnv): Promise<string> {
  const args = [
    'audit',
    '--omit=dev',
    '--json',
    '--package-lock-only',
    '--fetch-retries=0',
    `--fetch-timeout=${answerWithinMs}`,
  ]
  return new Promise((resolve) => {
    execFile('npm', args, { cwd: root, env, timeout: stopAfterMs, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      if (error?.killed === true) resolve(JSON.stringify({ message: `no answer within ${stopAfterMs / 1000} s` }))
      else resolve(stdout === '' && error !== null ? error.message : stdout)
    })
  })
}

function judge({ vulnerabilities }: z.infer<typeof report>): Outcome {
  const grave = Object.entries(vulnerabilities).filter(
    ([, { severity }]) => severity === 'high' || severity === 'critical',
  )
  const lesser = Object.keys(vulnerabilities).length - grave.length
  const lines = grave.map(
    ([name, { severity, range, fixAvailable }]) =>
      `${name} ${range}: ${severity}${fixAvailable === false ? ', no fixed version' : ''}`,
  )
  return {
    ok: grave.length === 0,
    output: lines.join('\n'),
    ...(lesser === 0 ? {} : { note: `${lesser} of severity moderate or low: npm audit` }),
  }
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
