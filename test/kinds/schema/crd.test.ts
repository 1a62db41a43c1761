/** The generator of CRDs, case by case. */
import { expect } from 'chai'
import { z } from 'zod'
import { makeCrd, type CrdSchema } from '../../../kinds/schema/crd.ts'
import type { KindDefinition } from '../../../kinds/schema/definition.ts'
import { definitions } from '../../../kinds/definitions.ts'
import { asMap, rules } from '../../../kinds/schema/fields.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'

function crdOf(change: Partial<KindDefinition>) {
  const definition: KindDefinition = {
    type: resourceTypes.app,
    singular: 'svcapp',
    shortNames: ['sapp'],
    description: 'A thing.',
    spec: z.object({}),
    status: z.object({}),
    statusSubresource: true,
    columns: [],
    rules: [],
    ...change,
  }
  return makeCrd(definition)
}

interface Version {
  subresources?: unknown
  additionalPrinterColumns: unknown[]
  schema: { openAPIV3Schema: CrdSchema }
}

function versionOf(change: Partial<KindDefinition>): Version {
  const [version] = crdOf(change).spec['versions'] as [Version]
  return version
}

function specOf(spec: z.ZodObject): CrdSchema {
  const schema = versionOf({ spec }).schema.openAPIV3Schema.properties?.['spec']
  if (schema === undefined) throw new Error('the CRD has no spec')
  return schema
}

describe('the CRD of a kind', () => {
  const fields: [string, z.ZodType, CrdSchema][] = [
    ['a pattern and a length', z.string().max(5).regex(/^a+$/), { type: 'string', maxLength: 5, pattern: '^a+$' }],
    ['a whole number without the bounds of JavaScript', z.int(), { type: 'integer' }],
    ['a whole number with bounds of its own', z.int().min(0).max(9), { type: 'integer', minimum: 0, maximum: 9 }],
    ['a choice of words', z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    ['a default', z.string().default('x'), { type: 'string', default: 'x' }],
    ['a map of texts', z.record(z.string(), z.string()), { type: 'object', additionalProperties: { type: 'string' } }],
    ['a description', z.boolean().meta({ description: 'Why.' }), { type: 'boolean', description: 'Why.' }],
    [
      'a list that is merged by key',
      z.array(z.object({ name: z.string() })).meta(asMap('name')),
      {
        type: 'array',
        items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
    ],
    [
      'a rule beside its field',
      z.string().meta(rules({ rule: "self != 'x'", message: 'must not be x' })),
      { type: 'string', 'x-kubernetes-validations': [{ rule: "self != 'x'", message: 'must not be x' }] },
    ],
  ]
  for (const [name, field, wanted] of fields) {
    it(`holds ${name}`, () => {
      expect(specOf(z.object({ field })).properties?.['field']).to.deep.equal(wanted)
    })
  }

  it('requires a field that has neither a default nor a question mark', () => {
    const spec = z.object({ needed: z.string(), filled: z.string().default('x'), free: z.string().optional() })
    expect(specOf(spec).required).to.deep.equal(['needed'])
  })

  it('refuses a union, naming the field', () => {
    const spec = z.object({ either: z.union([z.string(), z.number()]) })
    expect(() => specOf(spec)).to.throw('SvcApp.spec.either: a structural schema cannot hold anyOf')
  })

  it('has a status subresource only where the kind wants one', () => {
    expect(versionOf({}).subresources).to.deep.equal({ status: {} })
    expect(versionOf({ statusSubresource: false }).subresources).to.equal(undefined)
  })

  it('shows wide columns only when asked for', () => {
    const columns = [
      { name: 'Image', path: '.status.image', wide: true },
      { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' as const },
    ]
    expect(versionOf({ columns }).additionalPrinterColumns).to.deep.equal([
      { name: 'Image', type: 'string', jsonPath: '.status.image', priority: 1 },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ])
  })

  it('does not take `kubectl get svc` from the services of Kubernetes', () => {
    for (const definition of Object.values(definitions)) {
      const { names } = makeCrd(definition).spec as { names: { categories: string[]; shortNames: string[] } }
      expect([...names.categories, ...names.shortNames]).not.to.include('svc')
    }
  })

  it('has a description at every field, so that kubectl explain reads well', () => {
    const missing: string[] = []
    const visit = (schema: CrdSchema, path: string) => {
      if (schema.description === undefined && !path.endsWith('.metadata')) missing.push(path)
      for (const [name, field] of Object.entries(schema.properties ?? {})) visit(field, `${path}.${name}`)
      for (const [name, field] of Object.entries(schema.items?.properties ?? {})) visit(field, `${path}[].${name}`)
    }
    for (const definition of Object.values(definitions)) {
      const [version] = makeCrd(definition).spec['versions'] as [Version]
      visit(version.schema.openAPIV3Schema, definition.type.kind)
    }
    expect(missing).to.deep.equal([])
  })
})
