/** One run of Schemathesis over the whole document as one caller. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Run {
  readonly python: string
  /** Base URL of the document's paths. */
  readonly url: string
  /** File of the certificate authority, unless it is one that is trusted by default. */
  readonly certificateAuthority?: string
  /** Checks that every answer must pass; by default all that the document describes. */
  readonly checks?: readonly string[]
  readonly document: object
  /** The caller's headers, sent with every request. */
  readonly headers: Readonly<Record<string, string>>
  readonly seed: number
  readonly phases: readonly ('examples' | 'coverage' | 'fuzzing')[]
  /** Number per operation in the fuzzing phase. */
  readonly examples: number
  /** Existing values by operation and field: most requests use them, so that the answers are more than "not found". */
  readonly known: readonly Known[]
}

export interface Known {
  readonly paths: string
  /** `path.name` or `body.project` */
  readonly field: string
  readonly values: readonly string[]
}

export interface Outcome {
  readonly passed: boolean
  /** Its output, for people. */
  readonly said: string
  /** Requests that were sent. */
  readonly cases: number
}

/** No answer may be a 5xx, have an undescribed status or content type, or differ from its schema. */
const allChecks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'response_headers_conformance',
]
const knownShare = 0.8

export async function callAll(run: Run): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-schemathesis-'))
  try {
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(run.document))
    writeFileSync(join(folder, 'schemathesis.toml'), configOf(run))
    const { code, said } = await schemathesis(run, folder)
    return { passed: code === 0, said, cases: Number(/(\d+) generated/.exec(said)?.[1] ?? 0) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function schemathesis(
  { python, url, certificateAuthority, checks = allChecks, seed, phases, examples }: Run,
  cwd: string,
): Promise<{ code: number | null; said: string }> {
  const args = ['--config-file', 'schemathesis.toml', '--no-color', 'run', 'openapi.json', '--url', url]
  const tls = certificateAuthority === undefined ? [] : ['--tls-verify', certificateAuthority]
  const options = [
    '--checks',
    checks.join(),
    '--phases',
    phases.join(),
    '--max-examples',
    String(examples),
    '--seed',
    String(seed),
  ]
  const quiet = [
    '--no-shrink',
    '--warnings',
    'off',
    '--suppress-health-check',
    'all',
    '--generation-database',
    'none',
    '--request-timeout',
    '30',
  ]
  const child = spawn(python, ['-m', 'schemathesis.cli', ...args, ...options, ...tls, ...quiet], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (said += part))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, said }))
  })
}

const silent = '[[operations]]\ninclude-path-regex = "/logs/stream$"\nenabled = false\n'

/** Strings of JSON are valid in TOML. */
function configOf({ headers, known }: Run): string {
  const text = JSON.stringify
  const lists = known.map(({ values }, index) => `[dictionaries.known${index}]\nvalues = ${text(values)}\n`)
  const uses = known.map(
    ({ paths, field }, index) =>
      `[[operations]]\ninclude-path-regex = ${text(paths)}\nparameters = { ${text(field)} = { dictionary = "known${index}", probability = ${knownShare} } }\n`,
  )
  const sent = Object.entries(headers).map(([name, value]) => `${text(name)} = ${text(value)}`)
  // For a stream the first message is enough; a log without lines never sends one, and has its own tests.
  const config = [
    'max-stream-events = 1',
    '[phases.coverage]',
    'unexpected-methods = []',
    '[headers]',
    ...sent,
    ...lists,
    silent,
    ...uses,
  ]
  return `${config.join('\n')}\n`
}
