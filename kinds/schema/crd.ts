/** Turns the definition of a kind into its CustomResourceDefinition: structural schema, rules, columns. */
import { z } from 'zod'
import type { Column, KindDefinition } from './definition.ts'

/** JSON schema in the form of Kubernetes; further keys are passed through. */
export interface CrdSchema {
  type?: string
  description?: string
  default?: unknown
  properties?: Record<string, CrdSchema>
  items?: CrdSchema
  additionalProperties?: CrdSchema | boolean
  required?: string[]
  [key: string]: unknown
}

export interface CustomResourceDefinition {
  apiVersion: 'apiextensions.k8s.io/v1'
  kind: 'CustomResourceDefinition'
  metadata: { name: string; labels: Record<string, string> }
  spec: Record<string, unknown>
}

const unions = ['anyOf', 'oneOf', 'allOf', 'not', '$ref']

/**
 * The CRD of a kind. Throws when the schema has something that a structural schema cannot express (a union, a reference
 * to another schema): flatten it and add a CEL rule.
 */
export function makeCrd(definition: KindDefinition): CustomResourceDefinition {
  const { type } = definition
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${type.plural}.${type.group}`, labels: { 'svc.dev/managed-by': 'svc' } },
    spec: {
      group: type.group,
      scope: type.namespaced ? 'Namespaced' : 'Cluster',
      names: {
        kind: type.kind,
        listKind: `${type.kind}List`,
        plural: type.plural,
        singular: definition.singular,
        shortNames: definition.shortNames,
        // Not `svc`: `kubectl get svc` would then list these kinds beside the Services of Kubernetes.
        categories: ['platform'],
      },
      versions: [
        {
          name: type.version,
          served: true,
          storage: true,
          ...(definition.statusSubresource ? { subresources: { status: {} } } : {}),
          additionalPrinterColumns: definition.columns.map(printerColumn),
          schema: { openAPIV3Schema: rootSchema(definition) },
        },
      ],
    },
  }
}

function rootSchema(definition: KindDefinition): CrdSchema {
  const { kind } = definition.type
  return {
    type: 'object',
    description: definition.description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: 'Version of this representation.' },
      kind: { type: 'string', description: `Always ${kind}.` },
      metadata: { type: 'object' },
      spec: structural(definition.spec, `${kind}.spec`, 'What is wanted.'),
      status: structural(definition.status, `${kind}.status`, 'What was observed; written by the platform.'),
    },
    ...(definition.rules.length > 0 ? { 'x-kubernetes-validations': definition.rules } : {}),
  }
}

/** `io: 'input'` keeps a field with a default out of `required`: the API server fills it in. */
function structural(schema: z.ZodObject, path: string, description: string): CrdSchema {
  const json = z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', reused: 'inline' })
  // The two types differ only in how loosely zod types the keys; `adapt` checks the important ones.
  return { description, ...adapt(json as CrdSchema, path) }
}

/** Drops keys without meaning that Kubernetes refuses, and throws for those that would be lost. */
function adapt(schema: CrdSchema, path: string): CrdSchema {
  const union = unions.find((key) => key in schema)
  if (union !== undefined)
    throw new Error(`${path}: a structural schema cannot hold ${union}; flatten it and add a rule`)
  const { additionalProperties, properties, items, ...rest } = schema
  const adapted: CrdSchema = { ...rest }
  // Bounds that zod adds to every integer: without effect, and some exceed what Kubernetes can read.
  if (adapted['minimum'] === Number.MIN_SAFE_INTEGER) delete adapted['minimum']
  if (adapted['maximum'] === Number.MAX_SAFE_INTEGER) delete adapted['maximum']
  if (typeof additionalProperties === 'object') adapted.additionalProperties = adapt(additionalProperties, `${path}.*`)
  if (items !== undefined) adapted.items = adapt(items, `${path}[]`)
  if (properties !== undefined && Object.keys(properties).length > 0) {
    adapted.properties = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, adapt(field, `${path}.${name}`)]),
    )
  }
  return adapted
}

function printerColumn(column: Column) {
  return {
    name: column.name,
    type: column.type ?? 'string',
    jsonPath: column.path,
    ...(column.wide === true ? { priority: 1 } : {}),
  }
}
