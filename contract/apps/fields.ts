/** Fields of a service as callers write them, each with its refusal; create, update and the small verbs share them. */
import { z } from 'zod'
import { hostNameMax, objectNameMax } from '../limits.ts'
import { isSchedule } from '../fields/cron.ts'
import {
  anyText,
  environmentName,
  flag,
  withFieldOptions,
  list,
  matching,
  matchingOrEmpty,
  oneOf,
  resourceName,
  text,
  variableName,
  wholeNumber,
} from '../fields/fields.ts'
import { absolutePath, callPath, dnsLabel, publicHost } from '../fields/patterns.ts'
import * as limits from '../limits.ts'
import { refusals } from '../problem.ts'
import { functionMethods, functionModes, keptPaths, runtimes } from '../fields/words.ts'
import * as workload from '../fields/workload.ts'

export const sources = ['image', 'git', 'function'] as const

/** registry/path:tag@digest; the registry itself judges the rest. Only a draft may have none. */
const imagePattern = /^[A-Za-z0-9][A-Za-z0-9._\-/:]*(@sha256:[0-9a-f]{64})?$/
/** owner/name, or an https or ssh address of a repository. */
const repositoryPattern = /^([\w.-]+\/[\w.-]+|https:\/\/[^\s@]+\/[^\s@]+|(ssh:\/\/)?git@[^\s]+)$/
const branchPattern = /^(?![-/])(?!.*(\.\.|@\{|\/\/))[^\s~^:?*[\\]+$/
const relativePathPattern = /^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\0\n]+$/

export const appName = workload.workloadName

/** One schedule of a function; `payload` is JSON text, a JSON value is taken as its text. */
export const functionTrigger = z.object(
  {
    name: matching(
      dnsLabel,
      'a schedule name must use lowercase letters, digits, and dashes, up to 32 characters',
      limits.functionScheduleNameMax,
    ),
    schedule: z
      .string({ error: 'a schedule must be a five-field cron expression or a word such as @hourly' })
      .trim()
      .max(limits.functionScheduleMax, {
        error: `a schedule must be at most ${limits.functionScheduleMax} characters`,
        abort: true,
      })
      .refine(isSchedule, { error: 'a schedule must be a five-field cron expression or a word such as @hourly' }),
    path: matching(/^\/\S*$/, 'a schedule path must start with /').default('/'),
    payload: z
      .preprocess(
        (value) => (value === undefined || typeof value === 'string' ? value : JSON.stringify(value)),
        z
          .string()
          .max(limits.functionPayloadMax, {
            error: `a schedule payload must be at most ${limits.functionPayloadMax} characters`,
            abort: true,
          })
          .refine(isJsonOrEmpty, { error: 'a schedule payload must be valid JSON' })
          .optional(),
      )
      .optional(),
  },
  { error: 'functionTriggers must be schedules such as {"name": "nightly", "schedule": "0 3 * * *"}' },
)

export const functionTriggers = () =>
  list(
    functionTrigger,
    `a function can have at most ${limits.functionSchedulesMax} schedules`,
    limits.functionSchedulesMax,
  ).refine((triggers) => new Set(triggers.map(({ name }) => name)).size === triggers.length, {
    error: 'schedule names must be unique within a function',
  })

export const image = () => matchingOrEmpty(imagePattern, 'image must be an image reference such as nginx:1.29', 500)
export const port = () => wholeNumber('port', limits.servicePort.min, limits.servicePort.max)
export const replicas = () => wholeNumber('replicas', limits.replicas.min, limits.replicas.max)
export const code = () => anyText('code', limits.functionCodeMax)
export const revision = () => text('revision', { max: objectNameMax })

export const size = workload.size

/** Copies: fixed, by CPU, or down to none when idle. All live settings. */
export const scaling = {
  replicas: replicas().optional(),
  autoscaling: flag('autoscaling').optional(),
  minReplicas: wholeNumber('minReplicas', 1, limits.replicas.max).optional(),
  maxReplicas: wholeNumber('maxReplicas', 1, limits.replicas.max).optional(),
  targetCPU: wholeNumber('targetCPU', limits.targetCpuPercent.min, limits.targetCpuPercent.max).optional(),
  scaleToZero: flag('scaleToZero').optional(),
  idleSeconds: wholeNumber(
    'idleSeconds',
    limits.idleSeconds.min,
    limits.idleSeconds.max,
    refusals.idleSeconds,
  ).optional(),
  scaleToZeroMax: wholeNumber('scaleToZeroMax', 1, limits.replicas.max).optional(),
}

/** Names of variables of the service: repeated, or one value with commas. */
const buildVariables = () =>
  withFieldOptions(
    list(
      variableName(),
      `buildVariables must be at most ${limits.buildVariablesMax} names of variables`,
      limits.buildVariablesMax,
    ).refine((names) => new Set(names).size === names.length, {
      error: 'buildVariables must not name a variable twice',
    }),
    { commas: true },
  )

/** Where the code comes from when it is built here; empty texts are the defaults. */
export const gitSource = {
  repository: matchingOrEmpty(
    repositoryPattern,
    'repository must be owner/name or a repository address such as https://github.com/owner/name',
    255,
  ).optional(),
  branch: matchingOrEmpty(branchPattern, 'branch must be a branch name', 250).optional(),
  dockerfile: matchingOrEmpty(relativePathPattern, 'dockerfile must be a path inside the repository', 500).optional(),
  context: matchingOrEmpty(relativePathPattern, 'context must be a path inside the repository', 500).optional(),
  waitForCI: flag('waitForCI').optional(),
  buildVariables: buildVariables().optional(),
}

export const host = () =>
  matchingOrEmpty(publicHost, 'host must be a lowercase host name such as shop.example.com', hostNameMax)

export const owner = {
  project: resourceName('project').optional(),
  environment: environmentName().optional(),
}

/** The volume of a service; an empty path is none (docs/reference/services.md#volumes). */
export const volume = {
  volumePath: matchingOrEmpty(absolutePath, 'volumePath must be an absolute path such as /data', 500)
    .refine((path) => !keptPaths.some((kept) => `${path}/`.startsWith(`${kept}/`)), {
      error: `volumePath must not be in ${keptPaths.join(', ')}`,
    })
    .optional(),
  volumeSize: workload.quantityOf('volumeSize', '10Gi').optional(),
}

export const runOnTags = workload.runOnTags
export const runAsRoot = workload.runAsRoot

/** `readinessPath` and the like; seconds and failure counts are those of a Kubernetes HTTP probe. */
export const readinessProbe = {
  readinessPath: probePath('readinessPath'),
  readinessPort: probePort('readinessPort'),
  readinessPeriod: probeTime('readinessPeriod'),
  readinessTimeout: probeTime('readinessTimeout'),
  readinessFailureThreshold: probeFailures('readinessFailureThreshold'),
}
export const livenessProbe = {
  livenessPath: probePath('livenessPath'),
  livenessPort: probePort('livenessPort'),
  livenessPeriod: probeTime('livenessPeriod'),
  livenessTimeout: probeTime('livenessTimeout'),
  livenessFailureThreshold: probeFailures('livenessFailureThreshold'),
}

export const attachable = () => oneOf('kind', ['database', 'object-store'])
export const sourceWord = () => oneOf('source', sources)
export const runtime = () => oneOf('runtime', runtimes)
export const mode = () => oneOf('mode', functionModes)

function probePath(name: string) {
  return matchingOrEmpty(/^\/\S*$/, `${name} must start with /`, 500).optional()
}
function probePort(name: string) {
  return wholeNumber(name, limits.servicePort.min, limits.servicePort.max).optional()
}
function probeTime(name: string) {
  return wholeNumber(name, limits.probeSeconds.min, limits.probeSeconds.max).optional()
}
function probeFailures(name: string) {
  return wholeNumber(name, limits.probeFailures.min, limits.probeFailures.max).optional()
}
function isJsonOrEmpty(value: string): boolean {
  if (value === '') return true
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}

/** One call of a function by hand. */
export const invocation = {
  method: oneOf('method', functionMethods).default('POST'),
  path: matching(callPath, refusals.callPath, limits.functionCallPathMax).default('/'),
  data: withFieldOptions(anyText('data').default(''), { secret: true }),
}

/** Which copy a terminal is opened in, and what runs there: a shell unless a command is named. */
export const terminal = () => ({
  pod: anyText('pod', limits.hostNameMax).optional(),
  container: anyText('container', limits.dnsLabelMax).optional(),
  command: list(
    anyText('command', limits.terminalWordMax),
    `command must be at most ${limits.terminalCommandWords} words`,
    limits.terminalCommandWords,
  ).optional(),
  tty: flag('tty').default(true),
})
