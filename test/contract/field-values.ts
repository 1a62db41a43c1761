/** A field of a schema by its path, and values of every sort to try at it. */
import fc from 'fast-check'
import { z } from 'zod'

/** The type inside of optional, default and the like; a field with a preprocessing step stays as it is. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  // Every wrapper has an inner type.
  return 'innerType' in schema._zod.def ? bare(schema._zod.def.innerType as z.core.$ZodType) : schema
}

/** The paths of all fields inside; `[]` is an item of a list, `{}` a value of a map. */
export function fieldsOf(schema: z.core.$ZodType, path = ''): string[] {
  const at = bare(schema)
  const inside = path === '' ? '' : `${path}.`
  if (at instanceof z.ZodArray) return fieldsOf(at.element, `${inside}[]`)
  if (at instanceof z.ZodRecord) return fieldsOf(at.valueType, `${inside}{}`)
  if (!(at instanceof z.ZodObject)) return [path]
  return Object.entries(at.shape).flatMap(([name, field]) => fieldsOf(field as z.core.$ZodType, `${inside}${name}`))
}

/** The field at a path such as `source.git.branch`; `[]` is an item of a list, `{}` a value of a map. */
export function fieldAt(schema: z.core.$ZodType, path: string): z.ZodType {
  let at = bare(schema)
  for (const name of path.split('.')) {
    const item =
      name === '[]' && at instanceof z.ZodArray
        ? at.element
        : name === '{}' && at instanceof z.ZodRecord
          ? at.valueType
          : undefined
    const fields: z.core.$ZodShape = at instanceof z.ZodObject ? at.shape : {}
    const next = item ?? fields[name]
    if (next === undefined) throw new Error(`there is no ${path}`)
    at = bare(next)
  }
  return at as z.ZodType // classic zod makes no other types
}

export const labels = fc.stringMatching(/^[a-zA-Z0-9.-]{0,70}$/)
const digits = fc.stringMatching(/^[0-9]{1,22}$/)
export const quantities = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    digits,
    fc.constantFrom('', '.', '.5', '.1234', '.0'),
    fc.stringMatching(/^[A-Za-z]{0,2}$/),
  )
  .map((parts) => parts.join(''))
const suffixes = fc.constantFrom(
  '',
  'n',
  'u',
  'm',
  'k',
  'K',
  'M',
  'G',
  'T',
  'P',
  'E',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'Pi',
  'Ei',
  'ki',
  'kb',
  'e3',
  'E3',
)
export const sizes = fc.tuple(fc.integer({ min: 0, max: 4096 }), suffixes).map(([count, suffix]) => `${count}${suffix}`)
export const hosts = fc.array(fc.stringMatching(/^[a-z0-9-]{1,66}$/), { maxLength: 5 }).map((parts) => parts.join('.'))
const longTexts = fc.integer({ min: 0, max: 2100 }).map((length) => 'x'.repeat(length))
const paths = fc.oneof(
  fc.webPath(),
  longTexts.map((text) => `/${text}`),
)
const crons = fc
  .array(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 60, size: 'max' })
  .map((minutes) => `${minutes.join(',')} 3 * * *`)
/** Longer than any text of a record may be. */
const huge = JSON.stringify('x'.repeat(70_000))
const commits = fc.stringMatching(/^([0-9a-f]{40}|[0-9a-f]{64})$/)
const repositories = fc.stringMatching(/^[\w.-]{1,40}\/[\w.-]{1,250}$/)
const words = fc.constantFrom(
  '',
  '@hourly',
  'postgres',
  'mysql',
  'sqlite',
  'node',
  'python',
  'http',
  'event',
  'Remote',
  'Project',
  'None',
  'deployment.started',
  'deployment.failed',
  'VALUE',
  '/data',
  'External',
  'PlanetScale',
  'ingress',
  'cloudflare-tunnel',
  'redis',
  'bun',
  'Local',
  'AWS',
  'InCluster',
  '1.2.3.4',
  'a..b',
  'sha256:0',
  '16',
  '8.4-alpine',
)
const texts = fc.oneof(
  repositories,
  commits,
  labels,
  quantities,
  sizes,
  hosts,
  longTexts,
  paths,
  crons,
  fc.string(),
  fc.constant(huge),
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.webUrl(),
  fc.emailAddress(),
  // The words that some fields take alone: 3,000 values have several of each.
  { weight: 8, arbitrary: words },
)
const numbers = fc.oneof(fc.integer({ min: -2, max: 100_000 }), fc.double(), fc.integer())
export const values = fc.oneof({ weight: 5, arbitrary: texts }, numbers, fc.boolean())
