/** Values that a field is not made for, beside some that it is, generated from the contract's own params. */
import fc from 'fast-check'
import { z } from 'zod'
import { bare } from '../../contract/json/decode.ts'

/** Part of every secret that is sent; no log line and no error may contain it. */
export const secretMark = 'ssh-3f9c1b7e'

/** Texts that some layer may mishandle. */
export const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    '1e9',
    '1e400',
    '0x10',
    '1.5',
    'NaN',
    'on',
    'off',
    'null',
    'undefined',
    'true',
    '[]',
    '{}',
    '[[]]',
    '{"a":',
    '../..',
    '..%2f',
    'a/b',
    '%zz',
    '%00',
    '\u0000',
    'a\u0000b',
    '\r\nX-Evil: 1',
    '\u202Eevil',
    '🙂🙂',
    'ﬃ',
    'İ',
    '\ud800',
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'toString',
    '$(id)',
    '${jndi:ldap://x}',
    "'; drop table",
    '<script>',
    'a,b',
    ',,,',
    'a=b',
    '# x',
    '0 3 * * *',
    'proj-ffffffff',
    'x'.repeat(254),
    'x'.repeat(70_000),
    '/'.repeat(70_000),
    '9'.repeat(400),
  ),
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

export type Known = Readonly<Record<string, string>>

const plain = fc.constantFrom('nginx:1', 'production', 'web', 'A_NAME', '/x', '1', 'spare', 'main')

/** A value that the field takes in most cases; `known` has the existing names, by field. */
function fitting(name: string, type: z.core.$ZodType, known: Known): fc.Arbitrary<unknown> {
  const there = known[name]
  if (there !== undefined) return fc.constant(there)
  const inner = bare(type)
  if (inner instanceof z.ZodEnum) return fc.constantFrom(...inner.options.map(String))
  if (inner instanceof z.ZodBoolean) return fc.constantFrom<unknown>('on', 'off', true, false, 'yes')
  if (inner instanceof z.ZodNumber)
    return fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom(-1, 80, 1000, 1001, 86_400))
  if (inner instanceof z.ZodArray) return fc.array(fitting('', inner.element, known), { maxLength: 3 })
  if (inner instanceof z.ZodObject) {
    return fc.record({
      name: fc.constantFrom('a', 'b', 'A'),
      schedule: fc.constantFrom('@daily', '* * * * *', '61 * * * *'),
      payload: fc.jsonValue({ maxDepth: 2 }),
    })
  }
  return plain
}

const wrongShapes = fc.oneof(
  hostileText,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(hostileText, { maxLength: 3 }),
  fc.constant([['a'], ['b']]),
  fc.constant(Array.from({ length: 300 }, (_, index) => `v${index}`)),
  fc.constant(Array.from({ length: 3000 }, () => 'v')),
  fc.jsonValue({ maxDepth: 4 }),
)

/** Fields that fit or are left out, with up to two of them (or one unknown field) replaced by a hostile value. */
export function fieldsOf(params: z.ZodObject, known: Known): fc.Arbitrary<Record<string, unknown>> {
  const entries = Object.entries<z.core.$ZodType>(params.shape)
  const fits = entries.map(
    ([name, type]) =>
      [name, name === 'value' || name === 'password' ? fc.constant(secretMark) : fitting(name, type, known)] as const,
  )
  const given = entries.filter(([, type]) => !(type instanceof z.ZodOptional)).map(([name]) => name)
  const names = [...entries.map(([name]) => name), 'toString', 'project', 'environment']
  const one = fc.tuple(fc.constantFrom(...names), wrongShapes)
  const wrong = fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: fc.array(one, { minLength: 1, maxLength: 2 }) },
  )
  return fc.tuple(few(fits, given), wrong).map(([good, bad]) => ({ ...good, ...Object.fromEntries(bad) }))
}

/** Required fields nearly always, of the others one in five: all of them together would contradict each other. */
function few(
  fields: readonly (readonly [string, fc.Arbitrary<unknown>])[],
  required: readonly string[],
): fc.Arbitrary<Record<string, unknown>> {
  const maybe = fields.map(([name, value]) => {
    const [given, absent] = required.includes(name) ? [20, 1] : [1, 4]
    return [
      name,
      fc.oneof({ weight: given, arbitrary: value }, { weight: absent, arbitrary: fc.constant(undefined) }),
    ] as const
  })
  return fc
    .record(Object.fromEntries(maybe))
    .map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)))
}

/** The same as a form: a list repeats the field, as a browser sends it. */
export function asForm(fields: Readonly<Record<string, unknown>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value].flat().map(formText)]))
}

const formText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Bodies without fields, with the type that they claim. */
export const rawBodies = fc.record({
  body: fc.constantFrom(
    '',
    ' ',
    '{',
    '[]',
    'null',
    '"x"',
    '1',
    '{"a":1}x',
    '\u0000',
    '\ufeff{}',
    '{"__proto__":{"replicas":1}}',
    '{"a":[[1]]}',
    '{"name":"a","name":"b"}',
    `{"key":${'['.repeat(5000)}${']'.repeat(5000)}}`,
    `{"key":${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}}`,
    '{"a":'.repeat(2000),
    'a=1&a=2',
    '&&&&',
    '=',
    '%zz=%zz',
    'key=%00',
    '__proto__=1',
    'a&'.repeat(20_000),
    'key=A&'.repeat(500),
  ),
  type: fc.constantFrom(
    'application/json',
    'application/json; charset=utf-16',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'nonsense',
    ';;',
    '',
  ),
})

/** Texts for a path parameter. */
export const oddPathTexts = fc.constantFrom(
  'none',
  'a.b',
  '%00',
  '%2F',
  '..%2F..',
  '%F0%9F%99%82',
  '%zz',
  '%',
  '-',
  'NONE',
  '__proto__',
  'constructor',
  ' ',
  '',
  'x'.repeat(300),
  'x'.repeat(3000),
)
