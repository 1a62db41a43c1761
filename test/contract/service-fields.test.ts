/**
 * Every field of creating and changing a service: the values that it takes, and the sentence with which it refuses
 * others.
 */
import { expect } from 'chai'
import { decode } from '../../contract/json/decode.ts'
import { formToFields, jsonToFields } from '../../contract/json/fields.ts'
import { operations } from '../../contract/operations.ts'
import { refusalOf } from './refusal.ts'

const schemas = { create: operations['apps.create'].params, update: operations['apps.update'].params }
type Verb = keyof typeof schemas
const required: Record<Verb, string> = { create: 'project=proj-00000001&environment=production', update: 'app=web' }

const decodeForm = (verb: Verb, form: string): Record<string, unknown> => ({
  ...decode(schemas[verb], formToFields(`${form}&${required[verb]}`)),
})
const whole = (name: string, min: number, max: number) => `${name} must be a whole number from ${min} to ${max}`
const onOff = (name: string) => `${name} must be on or off`
const encode = (name: string, value: string) => `${name}=${encodeURIComponent(value)}`

interface Row {
  /** From text to value. */
  takes: readonly (readonly [string, unknown])[]
  refuses: readonly (readonly [string, string])[]
}
const number = (name: string, min: number, max: number): Row => ({
  takes: [
    [String(min), min],
    [String(max), max],
    ['', undefined],
  ],
  refuses: [String(min - 1), String(max + 1), '1.5', 'many', '0x10'].map(
    (value) => [value, whole(name, min, max)] as const,
  ),
})
const flag = (name: string): Row => ({
  takes: [
    ['on', true],
    ['off', false],
    ['', undefined],
  ],
  refuses: [['perhaps', onOff(name)]],
})
const texts = (sentence: string, good: readonly string[], bad: readonly string[]): Row => ({
  takes: good.map((value) => [value, value] as const),
  refuses: bad.map((value) => [value, sentence] as const),
})
const choice = (sentence: string, words: readonly string[]): Row => ({
  ...texts(sentence, words, ['other', 'IMAGE']),
  takes: [...words, ''].map((word) => [word, word || undefined] as const),
})

const cpu = texts(
  'cpu must be a quantity such as 250m or 1',
  ['250m', '1', '0.5', ''],
  ['0', '0m', '-1', '1 core', '1Gi'],
)
const memory = texts(
  'memory must be a quantity such as 512Mi or 1Gi',
  ['512Mi', '1Gi', '1.5G', ''],
  ['0', '0Mi', 'much', '-1Gi'],
)
const repository = 'repository must be owner/name or a repository address such as https://github.com/owner/name'
const host = 'host must be a lowercase host name such as shop.example.com'
const path = (name: string) => texts(`${name} must start with /`, ['/', '/healthz', ''], ['healthz', '/a b'])

const shared: Record<string, Row> = {
  project: texts('project is required', ['proj-00000001'], ['']),
  environment: texts(
    'environment must be a lowercase DNS label',
    ['production', 'qa-2'],
    ['', 'Production', '-a', 'a_b', 'a'.repeat(64)],
  ),
  image: texts(
    'image must be an image reference such as nginx:1.29',
    ['nginx', 'nginx:1.29', 'ghcr.io/acme/web:2', `acme/web@sha256:${'a'.repeat(64)}`, ''],
    ['nginx latest', '-x', 'acme/web@sha256:short', `a${'b'.repeat(500)}`],
  ),
  repository: texts(
    repository,
    ['acme/shop', 'https://git.example.com/acme/shop.git', 'git@github.com:acme/shop.git', ''],
    ['shop', 'http://x', 'a b/c'],
  ),
  branch: texts('branch must be a branch name', ['main', 'feature/new-shop', ''], ['-x', '/x', 'a..b', 'a b', 'a~1']),
  dockerfile: texts(
    'dockerfile must be a path inside the repository',
    ['Dockerfile', 'web/Dockerfile', ''],
    ['/etc/passwd', '../Dockerfile', 'a/../../b'],
  ),
  context: texts('context must be a path inside the repository', ['.', 'web', ''], ['/', '..', 'web/..']),
  waitForCI: flag('waitForCI'),
  buildVariables: {
    takes: [
      ['NPM_TOKEN,COLOUR', ['NPM_TOKEN', 'COLOUR']],
      ['', []],
    ],
    refuses: [
      ['lower', 'variable name must use uppercase letters, numbers, and underscores'],
      ['TWICE,TWICE', 'buildVariables must not name a variable twice'],
      [Array.from({ length: 51 }, (_, n) => `V${n}`).join(','), 'buildVariables must be at most 50 names of variables'],
    ],
  },
  port: { ...number('port', 1, 65_535), takes: [['80', 80]] },
  host: texts(
    host,
    ['shop.example.com', 'a.localhost', ''],
    ['Shop.example.com', 'shop', 'http://x.y', '-a.b', 'a..b', `${'a'.repeat(64)}.com`],
  ),
  metrics: flag('metrics'),
  cpu,
  memory,
  replicas: number('replicas', 0, 1000),
  autoscaling: flag('autoscaling'),
  minReplicas: number('minReplicas', 1, 1000),
  maxReplicas: number('maxReplicas', 1, 1000),
  targetCPU: number('targetCPU', 1, 100),
  scaleToZero: flag('scaleToZero'),
  idleSeconds: {
    takes: [
      ['30', 30],
      ['86400', 86_400],
      ['', undefined],
    ],
    refuses: ['29', '86401', '1.5', 'long'].map(
      (value) => [value, 'idle_seconds must be between 30 and 86400'] as const,
    ),
  },
  scaleToZeroMax: number('scaleToZeroMax', 1, 1000),
  volumePath: {
    takes: ['/data', '/var/lib/app.d', '/srv/.cache', ''].map((text) => [text, text] as const),
    refuses: [
      ...['data', '/', '/data/', '//data', '/a/../b', '/.', '/a/./b', '/a b', '/a:b', `/${'a'.repeat(500)}`].map(
        (text) => [text, 'volumePath must be an absolute path such as /data'] as const,
      ),
      ...['/proc', '/proc/1', '/sys/fs', '/dev/shm', '/etc', '/etc/app', '/run/app', '/var/run'].map(
        (text) => [text, 'volumePath must not be in /proc, /sys, /dev, /etc, /run, /var/run'] as const,
      ),
    ],
  },
  volumeSize: texts(
    'volumeSize must be a quantity such as 10Gi',
    ['10Gi', '512Mi', '1.5G', ''],
    ['0', '0Gi', 'much', '-1Gi'],
  ),
  runAsRoot: flag('runAsRoot'),
  deploy: flag('deploy'),
}
const triggers: Row = {
  takes: [
    ['', []],
    ['{"name":"a","schedule":"@daily"}', [{ name: 'a', schedule: '@daily', path: '/' }]],
    [
      '[{"name":"a","schedule":"@daily"},{"name":"b","schedule":"@hourly"}]',
      ['a', 'b'].map((name, at) => ({ name, schedule: ['@daily', '@hourly'][at], path: '/' })),
    ],
  ],
  refuses: [
    ['nightly', 'functionTriggers must be schedules such as {"name": "nightly", "schedule": "0 3 * * *"}'],
    [
      JSON.stringify(Array.from({ length: 9 }, (_, at) => ({ name: `n${at}`, schedule: '@daily' }))),
      'a function can have at most 8 schedules',
    ],
    [
      JSON.stringify(['a', 'a'].map((name) => ({ name, schedule: '@daily' }))),
      'schedule names must be unique within a function',
    ],
  ],
}
const runtime = choice('runtime must be bun, node, or python', ['bun', 'node', 'python'])
const mode = choice('mode must be http or event', ['http', 'event'])
const code = texts('code must be at most 65536 characters', ['export {}', ''], ['x'.repeat(65_537)])

const probe = (kind: 'readiness' | 'liveness'): Record<string, Row> => ({
  [`${kind}Path`]: path(`${kind}Path`),
  [`${kind}Port`]: number(`${kind}Port`, 1, 65_535),
  [`${kind}Period`]: number(`${kind}Period`, 1, 3600),
  [`${kind}Timeout`]: number(`${kind}Timeout`, 1, 3600),
  [`${kind}FailureThreshold`]: number(`${kind}FailureThreshold`, 1, 100),
})
const words = (name: string): Row => ({
  takes: [
    ['node', ['node']],
    ['', []],
  ],
  refuses: [['x'.repeat(1001), `${name} must be at most 1000 characters`]],
})

const rows: Record<Verb, Record<string, Row>> = {
  create: {
    ...shared,
    source: {
      ...choice('source must be image, git, or function', ['image', 'git', 'function']),
      takes: ['image', 'git', 'function'].map((word) => [word, word] as const),
    },
    name: texts(
      'name must use lowercase letters, digits, and hyphens, up to 50 characters',
      ['web', 'web-2', ''],
      ['Web', '-web', 'web_1', 'w'.repeat(51)],
    ),
    connectionRef: texts('connectionRef must be the name of a connection', ['acme', ''], ['Acme', '-a']),
    runtime,
    code,
    mode,
    functionTriggers: triggers,
    draft: flag('draft'),
  },
  update: {
    ...shared,
    app: texts('app is required', ['web'], []),
    watchPatterns: {
      takes: [
        ['web/**', ['web/**']],
        ['', []],
      ],
      refuses: [['x'.repeat(251), 'watchPatterns must be at most 250 characters']],
    },
    functionRuntime: runtime,
    functionCode: code,
    functionMode: mode,
    functionTriggers: triggers,
    tls: flag('tls'),
    dnsVerification: flag('dnsVerification'),
    rollbackOnFailure: flag('rollbackOnFailure'),
    command: words('command'),
    args: words('args'),
    workingDir: texts('workingDir must be an absolute path', ['/srv', ''], ['srv']),
    buildCache: flag('buildCache'),
    ...probe('readiness'),
    ...probe('liveness'),
    runOnTags: {
      takes: [
        ['gpu,ssd', ['gpu', 'ssd']],
        ['', []],
      ],
      refuses: [
        ['GPU', 'a node tag must use lowercase letters, digits, and hyphens, up to 40 characters'],
        ['a'.repeat(41), 'a node tag must use lowercase letters, digits, and hyphens, up to 40 characters'],
        ['a,b,c,d,e,f,g,h,i', 'runOnTags must be at most 8 tags'],
      ],
    },
  },
}

for (const verb of ['create', 'update'] as const) {
  describe(`Fields to ${verb} a service`, () => {
    it('are all in this table', () =>
      expect(Object.keys(rows[verb]).toSorted()).to.deep.equal(Object.keys(schemas[verb].shape).toSorted()))
    for (const [name, { takes, refuses }] of Object.entries(rows[verb])) {
      it(`${name} takes ${takes.map(([text]) => (text === '' ? 'nothing' : text.slice(0, 60))).join(' | ')}`, () => {
        for (const [text, value] of takes) expect(decodeForm(verb, encode(name, text))[name], text).to.deep.equal(value)
      })
      if (refuses.length > 0)
        it(`${name} refuses what is none`, () => {
          for (const [text, sentence] of refuses)
            expect(
              refusalOf(() => decodeForm(verb, encode(name, text))),
              text,
            ).to.equal(sentence)
        })
    }
  })
}

describe('Fields of a service with other names, defaults and together', () => {
  it('cpuRequest and memoryRequest are cpu and memory', () =>
    expect(decodeForm('update', 'cpuRequest=250m&memoryRequest=1Gi')).to.include({ cpu: '250m', memory: '1Gi' }))
  it('port is 8080 and the source an image unless said otherwise', () =>
    expect(decodeForm('create', '')).to.deep.equal({
      project: 'proj-00000001',
      environment: 'production',
      source: 'image',
      port: 8080,
    }))
  it('project and environment are needed to create one', () => {
    expect(refusalOf(() => decode(schemas.create, formToFields('environment=production')))).to.equal(
      'project is required',
    )
    expect(refusalOf(() => decode(schemas.create, formToFields('project=p')))).to.equal('environment is required')
  })
  it('draft and deploy exclude each other', () =>
    expect(refusalOf(() => decodeForm('create', 'draft=on&deploy=on'))).to.equal(
      'draft and deploy cannot be used together',
    ))
  it('over JSON, true is on, false leaves as it is, and "off" turns off', () => {
    const decoded = (scaleToZero: unknown) =>
      decode(schemas.update, jsonToFields({ app: 'web', scaleToZero }, new Map())).scaleToZero
    expect([true, false, 'off', 'on', null].map(decoded)).to.deep.equal([true, undefined, false, true, undefined])
  })
})
