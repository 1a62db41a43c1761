/**
 * The defaults of the specs that intents are digests of. A default added later appears in every stored record at once,
 * so every record looks edited and the upgrade deploys everything anew:
 * docs/decisions/0013-new-spec-fields-are-optional.md.
 */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { type CrdSchema, makeCrd } from '../../kinds/schema/crd.ts'
import { definitions } from '../../kinds/definitions.ts'

const reconciled = [
  'app',
  'backupArchive',
  'database',
  'logicalDatabase',
  'objectStore',
  'cloudConnection',
  'project',
] as const
const stored = JSON.parse(readFileSync(new URL('stored-defaults.json', import.meta.url), 'utf8')) as Record<
  string,
  Record<string, unknown>
>

function defaultsIn(schema: CrdSchema, path = 'spec'): [string, unknown][] {
  const own: [string, unknown][] = schema.default === undefined ? [] : [[path, schema.default]]
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    defaultsIn(field, `${path}.${name}`),
  )
  const items = schema.items === undefined ? [] : defaultsIn(schema.items, `${path}[]`)
  const values =
    typeof schema.additionalProperties === 'object' ? defaultsIn(schema.additionalProperties, `${path}{}`) : []
  return [...own, ...fields, ...items, ...values]
}

function defaultsOf(kind: (typeof reconciled)[number]): Record<string, unknown> {
  const [version] = makeCrd(definitions[kind]).spec['versions'] as [{ schema: { openAPIV3Schema: CrdSchema } }]
  return Object.fromEntries(defaultsIn(version.schema.openAPIV3Schema.properties?.['spec'] ?? {}))
}

describe('the defaults of stored specs', () => {
  for (const kind of reconciled)
    it(`of ${kind} stay as they were released: a new field is optional and has none`, () => {
      expect(defaultsOf(kind)).to.deep.equal(stored[kind])
    })
})
