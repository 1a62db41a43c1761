/** For each field a value that it does not take, and the sentence that says so. */
import type { OperationId } from '../../contract/operations.ts'

type Wrong = readonly [value: unknown, sentence: string]
const long = (length: number): string => 'x'.repeat(length + 1)
const range = (name: string, min: number, max: number): Record<string, Wrong> => ({ [name]: [max + 1, `${name} must be a whole number from ${min} to ${max}`] })
const onOff = (...names: readonly string[]): Record<string, Wrong> =>
  Object.fromEntries(names.map((name) => [name, ['maybe', `${name} must be on or off`] as const]))
const path = (name: string): Record<string, Wrong> => ({ [name]: ['no-slash', `${name} must start with /`] })

const variable = 'variable name must use uppercase letters, numbers, and underscores'
const confirmation = 'confirmation did not match the resource name'
const code = [long(64 * 1024), 'code must be at most 65536 characters'] as const

/** By name, where every operation says the same. */
export const wrongValues: Readonly<Record<string, Wrong>> = {
  ...range('replicas', 0, 1000),
  ...range('port', 1, 65_535),
  ...range('minReplicas', 1, 1000),
  ...range('maxReplicas', 1, 1000),
  ...range('scaleToZeroMax', 1, 1000),
  ...range('targetCPU', 1, 100),
  ...range('tail', 1, 1000),
  ...range('expiresInDays', 0, 3650),
  ...range('readinessPort', 1, 65_535),
  ...range('readinessPeriod', 1, 3600),
  ...range('readinessTimeout', 1, 3600),
  ...range('readinessFailureThreshold', 1, 100),
  ...range('livenessPort', 1, 65_535),
  ...range('livenessPeriod', 1, 3600),
  ...range('livenessTimeout', 1, 3600),
  ...range('livenessFailureThreshold', 1, 100),
  ...onOff('metrics', 'autoscaling', 'scaleToZero', 'draft', 'deploy', 'waitForCI', 'tls', 'dnsVerification', 'buildCache', 'deny', 'previous', 'secret'),
  ...path('readinessPath'),
  ...path('livenessPath'),
  idleSeconds: [29, 'idle_seconds must be between 30 and 86400'],
  key: ['lower', variable],
  sharedVariable: ['lower', variable],
  confirmName: ['not-it', confirmation],
  environment: ['Not A Label', 'environment must be a lowercase DNS label'],
  environments: ['Not A Label', 'environment must be a lowercase DNS label'],
  displayName: [long(63), 'displayName must be at most 63 characters'],
  region: ['Not A Region', 'region must use lowercase letters, digits, and hyphens, up to 40 characters'],
  source: ['zip', 'source must be image, git, or function'],
  runtime: ['cobol', 'runtime must be bun, node, or python'],
  functionRuntime: ['cobol', 'runtime must be bun, node, or python'],
  mode: ['batch', 'mode must be http or event'],
  functionMode: ['batch', 'mode must be http or event'],
  role: ['owner', 'role must be admin, observer, or viewer'],
  scope: ['planet', 'scope must be workspace or project'],
  kind: ['app', 'kind must be database or object-store'],
  window: ['2h', 'window must be 15m, 1h, 6h, or 24h'],
  since: ['8d', 'since must be a duration such as 15m, 2h, or 7d, at most 7 days'],
  q: [long(200), 'q must be at most 200 characters'],
  level: [long(20), 'level must be at most 20 characters'],
  image: ['two words', 'image must be an image reference such as nginx:1.29'],
  repository: ['nowhere', 'repository must be owner/name or a repository address such as https://github.com/owner/name'],
  branch: ['..', 'branch must be a branch name'],
  dockerfile: ['../Dockerfile', 'dockerfile must be a path inside the repository'],
  context: ['/etc', 'context must be a path inside the repository'],
  watchPatterns: [Array.from({ length: 51 }, () => '*'), 'watchPatterns must be at most 50 patterns'],
  connectionRef: ['Not A Name', 'connectionRef must be the name of a connection'],
  code,
  functionCode: code,
  functionTriggers: [{ name: 'a', schedule: '61 * * * *' }, 'a schedule must be a five-field cron expression or a word such as @hourly'],
  host: ['No Host', 'host must be a lowercase host name such as shop.example.com'],
  cpu: ['much', 'cpu must be a quantity such as 250m or 1'],
  memory: ['much', 'memory must be a quantity such as 512Mi or 1Gi'],
  command: [Array.from({ length: 51 }, () => 'a'), 'command must be at most 50 words'],
  args: [Array.from({ length: 51 }, () => 'a'), 'args must be at most 50 words'],
  workingDir: ['here', 'workingDir must be an absolute path'],
  revision: ['', 'revision is required'],
  value: ['a\u0000b', 'value must not contain a NUL character'],
  config: ['no equals sign', 'line 1 must be NAME=value'],
  clientName: [long(60), 'clientName must be at most 60 characters'],
  deviceCode: ['', 'deviceCode is required'],
  userCode: ['', 'userCode is required'],
  username: [long(100), 'username must be at most 100 characters'],
  password: [long(1024), 'password must be at most 1024 characters'],
}

/** Where one operation has its own idea of a field. */
export const ownWrongValues: Partial<Record<OperationId, Readonly<Record<string, Wrong>>>> = {
  'apps.create': { name: ['Not Plain', 'name must use lowercase letters, digits, and hyphens, up to 50 characters'], project: ['', 'project is required'] },
  'apps.update': {
    project: ['proj-00000000', 'a service cannot be moved to another project or environment yet'],
    runOnTags: ['Not Plain', 'a node tag must use lowercase letters, digits, and hyphens, up to 40 characters'],
  },
  'apps.list': { project: [long(253), 'project must be at most 253 characters'], environment: [long(253), 'environment must be at most 253 characters'] },
  'apps.attach': { name: ['', 'name is required'] },
  'apps.env-delete': { name: ['', 'name is required'] },
  'projects.variables-save': { name: ['lower', variable] },
  'projects.variables-delete': { name: ['lower', variable] },
  'tokens.list': { project: [long(253), 'project must be at most 253 characters'] },
  'tokens.create': {
    name: [long(100), 'name must be at most 100 characters'],
    project: [long(253), 'project must be at most 253 characters'],
    environment: [long(63), 'environment must be at most 63 characters'],
  },
  'tokens.services': { project: [long(253), 'project must be at most 253 characters'], environment: [long(63), 'environment must be at most 63 characters'] },
  'tokens.revoke': { id: [long(100), 'id must be at most 100 characters'] },
  'auth.device-read': { code: [long(50), 'code must be at most 50 characters'] },
}
