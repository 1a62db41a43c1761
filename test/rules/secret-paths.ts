/**
 * Every field of a record that names a Secret, found in the definitions of the kinds: one that nobody listed is found,
 * too.
 */
import { type CrdSchema, makeCrd } from '../../kinds/schema/crd.ts'
import { definitions } from '../../kinds/definitions.ts'
import type { KindDefinition } from '../../kinds/schema/definition.ts'

/** `app.spec.env[].valueFrom.secretKeyRef`, sorted. */
export function secretPaths(): string[] {
  return Object.entries<KindDefinition>(definitions)
    .flatMap(([kind, definition]) => below(kind, schemaOf(definition)))
    .sort()
}

function schemaOf(definition: KindDefinition): CrdSchema {
  // As makeCrd writes it.
  const { versions } = makeCrd(definition).spec as { versions: { schema: { openAPIV3Schema: CrdSchema } }[] }
  const { spec = {}, status = {} } = versions[0]?.schema.openAPIV3Schema.properties ?? {}
  return { properties: { spec, status } }
}

function below(path: string, schema: CrdSchema): string[] {
  const found = namesSecret(path, schema) ? [path] : []
  if (found.length > 0) return found
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, child]) => below(`${path}.${name}`, child))
  return [...fields, ...(schema.items === undefined ? [] : below(`${path}[]`, schema.items))]
}

const about = /secret|credential|password|ref(s)?$|release/i

/** A reference to an object by name, or a text whose name or description speaks of a Secret. */
function namesSecret(path: string, schema: CrdSchema): boolean {
  const { properties, type, description = '' } = schema
  if (properties?.['name'] !== undefined && Object.keys(properties).every((key) => key === 'name' || key === 'key'))
    return true
  if (path.endsWith('.webhooks[].id')) return true // `<project>-webhook-<id>` is made of it
  return type === 'string' && (about.test(path.split('.').at(-1) ?? '') || /\bSecret\b/.test(description))
}
