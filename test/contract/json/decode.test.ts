/** Form fields to typed values: the values that each type takes, and the sentence with which it refuses others. */
import { expect } from 'chai'
import { z } from 'zod'
import { decode } from '../../../contract/json/decode.ts'
import { flag, withFieldOptions, list, oneOf, tagList, text, wholeNumber } from '../../../contract/fields/fields.ts'
import { formToFields } from '../../../contract/json/fields.ts'
import { operations, type OperationId } from '../../../contract/operations.ts'
import { Problem } from '../../../contract/problem.ts'

const schema = z.object({
  name: text('name').optional(),
  replicas: wholeNumber('replicas', 0, 1000).optional(),
  deploy: flag('deploy').optional(),
  kind: oneOf('kind', ['red', 'green', 'blue']).optional(),
  names: list(text('name'), 'names must be a list').optional(),
  tags: tagList(text('tag'), 'at most 2 tags', 2).optional(),
  cpu: withFieldOptions(text('cpu').optional(), { aliases: ['cpuRequest'] }),
  size: wholeNumber('size', 1, 9).default(3),
})

const decoded: [string, string, object][] = [
  ['a text is trimmed', 'name=+calm+otter+', { name: 'calm otter' }],
  ['the first of a repeated single field counts', 'name=a&name=b', { name: 'a' }],
  ['a number', 'replicas=12', { replicas: 12 }],
  ['an empty number is an input left blank', 'replicas=', {}],
  ['an empty choice is an input left blank', 'kind=', {}],
  ...['on', 'true', '1', 'yes', 'ON'].map((word): [string, string, object] => [
    `${word} switches on`,
    `deploy=${word}`,
    { deploy: true },
  ]),
  ...['off', 'false', '0', 'no'].map((word): [string, string, object] => [
    `${word} switches off`,
    `deploy=${word}`,
    { deploy: false },
  ]),
  ['a repeated field is a list', 'names=a&names=b', { names: ['a', 'b'] }],
  ['one empty value is the empty list', 'names=', { names: [] }],
  ['commas split only where they may', 'names=a,b', { names: ['a,b'] }],
  ['tags may come comma-separated', 'tags=a,+b', { tags: ['a', 'b'] }],
  ['an alias is the same field', 'cpuRequest=1', { cpu: '1' }],
  ['the name wins over its alias', 'cpuRequest=1&cpu=2', { cpu: '2' }],
  ['unknown fields are ignored', 'other=1', {}],
]

const refused: [string, string][] = [
  ['name=', 'name is required'],
  ['replicas=1001', 'replicas must be a whole number from 0 to 1000'],
  ['replicas=-1', 'replicas must be a whole number from 0 to 1000'],
  ['replicas=1.5', 'replicas must be a whole number from 0 to 1000'],
  ['replicas=1e2', 'replicas must be a whole number from 0 to 1000'],
  ['replicas=many', 'replicas must be a whole number from 0 to 1000'],
  ['deploy=maybe', 'deploy must be on or off'],
  ['kind=pink', 'kind must be red, green, or blue'],
  ['tags=a,b,c', 'at most 2 tags'],
  ['replicas=x&deploy=x', 'replicas must be a whole number from 0 to 1000'],
]

describe('decode', () => {
  for (const [name, form, wanted] of decoded) {
    it(name, () => {
      expect(decode(schema, formToFields(form))).to.deep.equal({ size: 3, ...wanted })
    })
  }
  for (const [form, refusal] of refused) {
    it(`refuses ${form}: ${refusal}`, () => {
      expect(refusalOf(() => decode(schema, formToFields(form)))).to.equal(refusal)
    })
  }
})

const fixedRefusals: [OperationId, string, string][] = [
  ['apps.scale', 'app=a', 'replicas must be a whole number from 0 to 1000'],
  ['apps.scale', 'app=a&replicas=1001', 'replicas must be a whole number from 0 to 1000'],
  ['apps.update', 'app=a&idleSeconds=29', 'idle_seconds must be between 30 and 86400'],
  ['apps.update', 'app=a&idleSeconds=86401', 'idle_seconds must be between 30 and 86400'],
  ['apps.config-set', 'app=a&key=lower', 'variable name must use uppercase letters, numbers, and underscores'],
  ['apps.secrets-set', 'app=a', 'variable name must use uppercase letters, numbers, and underscores'],
  ['projects.settings-save', 'project=p&environments=', 'a project must retain at least one environment'],
  ['projects.environments-create', 'project=p', 'environment is required'],
  ['apps.config-raw', 'app=a', 'config is required'],
  ['databases.connect', 'project=p&environment=e&host=h.example.com&username=u', 'password is required'],
  ['projects.settings-delete', 'project=p', 'confirmation did not match the resource name'],
  ['projects.environments-create', 'project=p&environment=Upper', 'environment must be a lowercase DNS label'],
  ['apps.create', 'project=p&environment=e&draft=on&deploy=on', 'draft and deploy cannot be used together'],
  ['apps.create', 'project=p&environment=e&cpu=0', 'cpu must be a quantity such as 250m or 1'],
  ['apps.create', 'project=p&environment=e&memory=much', 'memory must be a quantity such as 512Mi or 1Gi'],
  ['apps.create', 'project=p&environment=e&image=a+b', 'image must be an image reference such as nginx:1.29'],
  ['apps.create', 'project=p&environment=e&runtime=deno', 'runtime must be bun, node, or python'],
  ['apps.create', 'project=p&environment=e&mode=both', 'mode must be http or event'],
  ['apps.create', 'project=p&environment=e&port=0', 'port must be a whole number from 1 to 65535'],
  [
    'apps.update',
    'app=a&functionTriggers={"name":"a","schedule":"* * *"}',
    'a schedule must be a five-field cron expression or a word such as @hourly',
  ],
  [
    'apps.update',
    'app=a&functionTriggers={"name":"A","schedule":"@daily"}',
    'a schedule name must use lowercase letters, digits, and dashes, up to 32 characters',
  ],
  [
    'apps.update',
    'app=a&functionTriggers={"name":"a","schedule":"@daily","path":"x"}',
    'a schedule path must start with /',
  ],
  [
    'apps.update',
    'app=a&functionTriggers={"name":"a","schedule":"@daily","payload":"{"}',
    'a schedule payload must be valid JSON',
  ],
  ['apps.logs', 'app=a&tail=1001', 'tail must be a whole number from 1 to 1000'],
  ['apps.logs', 'app=a&since=8d', 'since must be a duration such as 15m, 2h, or 7d, at most 7 days'],
  ['apps.metrics', 'app=a&window=2h', 'window must be 15m, 1h, 6h, or 24h'],
  ['tokens.create', 'expiresInDays=3651', 'expiresInDays must be a whole number from 0 to 3650'],
  ['tokens.create', 'scope=project', 'project and environment are required for a project token'],
  ['tokens.create', 'project=p', 'project and environment apply to project tokens only'],
  ['auth.device-start', `clientName=${'x'.repeat(61)}`, 'clientName must be at most 60 characters'],
]

describe('operations refuse with fixed sentences', () => {
  for (const [id, form, refusal] of fixedRefusals) {
    it(`${id} ${form.slice(0, 60)}: ${refusal}`, () => {
      expect(refusalOf(() => decode(operations[id].params, formToFields(form)))).to.equal(refusal)
    })
  }

  it('takes nine schedules for one too many', () => {
    const form = Array.from({ length: 9 }, (_, n) => `functionTriggers={"name":"n${n}","schedule":"@daily"}`).join('&')
    const params = operations['apps.update'].params
    expect(refusalOf(() => decode(params, formToFields(`app=a&${form}`)))).to.equal(
      'a function can have at most 8 schedules',
    )
  })

  it('takes one JSON list for many schedules, and JSON payloads for their text', () => {
    const form = new URLSearchParams({
      app: 'a',
      functionTriggers:
        '[{"name":"a","schedule":"*/5 1-3,7 * * 0","payload":{"b":1}},{"name":"c","schedule":"@hourly","path":"/x"}]',
    })
    expect(decode(operations['apps.update'].params, formToFields(String(form)))).to.deep.equal({
      app: 'a',
      functionTriggers: [
        { name: 'a', schedule: '*/5 1-3,7 * * 0', path: '/', payload: '{"b":1}' },
        { name: 'c', schedule: '@hourly', path: '/x' },
      ],
    })
  })
})

function refusalOf(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_request') return error.message
    throw error
  }
  throw new Error('nothing was refused')
}
