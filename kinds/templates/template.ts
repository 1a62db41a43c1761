/** A template: the format of its file in templates/, and its description for callers. */
import { z } from 'zod'
import type { View } from '../../contract/operations.ts'
import * as patterns from '../../contract/fields/patterns.ts'
import { databaseEngines, functionModes, runtimes } from '../../contract/fields/words.ts'
import { functionCodeMax, servicePort } from '../../contract/limits.ts'

const label = z.string().regex(patterns.dnsLabel).max(20)
const variable = z.string().regex(patterns.variableName)
const quantity = z.string().regex(/^\d+(m|Mi|Gi)?$/)

const service = z.strictObject({
  kind: z.literal('app'),
  /** Label within the template; the name of the resource contains it. */
  name: label,
  /** An image and the port that it listens on, or the code of a function. */
  image: z.string().min(1).optional(),
  port: z.int().min(servicePort.min).max(servicePort.max).optional(),
  function: z
    .strictObject({
      runtime: z.enum(runtimes),
      mode: z.enum(functionModes).default('http'),
      code: z.string().min(1).max(functionCodeMax),
    })
    .optional(),
  cpu: quantity.optional(),
  memory: quantity.optional(),
  args: z.array(z.string()).optional(),
  /** Path that answers 200 once the service is ready. */
  readinessPath: z.string().startsWith('/').optional(),
  /** Plain variables. */
  config: z.record(variable, z.string()).default({}),
  /** Secret variables; each gets its own random value. */
  secrets: z.array(variable).default([]),
  /** Variables that refer to a key of the connection Secret of a database of the template. */
  references: z
    .record(
      variable,
      z.strictObject({ from: label, key: z.enum(['host', 'port', 'database', 'username', 'password', 'uri']) }),
    )
    .default({}),
})

const database = z.strictObject({
  kind: z.literal('database'),
  name: label,
  engine: z.enum(databaseEngines).exclude(['sqlite']),
  storageSize: quantity.optional(),
})

export const template = z
  .strictObject({
    id: label,
    name: z.string().min(1).max(40),
    description: z.string().min(1).max(300),
    category: z.enum(['Starter', 'Analytics', 'Automation', 'Backend', 'Content', 'Functions', 'Identity', 'Tools']),
    resources: z.array(z.discriminatedUnion('kind', [service, database])).min(1),
  })
  .refine(({ resources }) => new Set(resources.map(({ name }) => name)).size === resources.length, {
    error: 'names within a template must be unique',
  })
  .refine(({ resources }) => resources.every((each) => each.kind === 'database' || refersTo(each, resources)), {
    error: 'a reference must be to a database that stands before the service',
  })
  .refine(({ resources }) => resources.every((each) => each.kind === 'database' || hasOneSource(each)), {
    error: 'a service has an image and its port, or a function',
  })
  .refine(({ resources }) => resources.every((each) => each.kind === 'database' || hasUniqueVariables(each)), {
    error: 'a variable must be said once',
  })

export type Template = z.output<typeof template>
export type TemplateService = z.output<typeof service>
export type TemplateDatabase = z.output<typeof database>

function refersTo(of: TemplateService, resources: readonly (TemplateService | TemplateDatabase)[]): boolean {
  const before = resources.slice(0, resources.indexOf(of)).filter(({ kind }) => kind === 'database')
  return Object.values(of.references).every(({ from }) => before.some(({ name }) => name === from))
}

const hasOneSource = ({ image, port, function: code }: TemplateService): boolean =>
  (image === undefined) === (port === undefined) && (image === undefined) !== (code === undefined)

function hasUniqueVariables({ config, secrets, references }: TemplateService): boolean {
  const names = [...Object.keys(config), ...secrets, ...Object.keys(references)]
  return new Set(names).size === names.length
}

/** A template as callers see it: its resources, and the variables of its services. */
export function describeTemplate({
  id,
  name,
  description,
  category,
  resources,
}: Template): View<'templates.list'>['items'][number] {
  const services = resources.filter((each) => each.kind === 'app')
  const variables = services.flatMap(({ name: resource, config, secrets, references }) => [
    ...Object.entries(config).map(([variableName, value]) => ({
      resource,
      name: variableName,
      kind: 'plain' as const,
      value,
    })),
    ...secrets.map((variableName) => ({ resource, name: variableName, kind: 'secret' as const })),
    ...Object.keys(references).map((variableName) => ({ resource, name: variableName, kind: 'reference' as const })),
  ])
  return {
    id,
    name,
    description,
    category,
    resources: resources.map((each) => ({ kind: each.kind, name: each.name })),
    variables,
  }
}
