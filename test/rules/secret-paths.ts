/**
 * Finds every field of a record that names a Secret in the definitions of the kinds, so a field without a case is
 * found, too.
 */
import { type CrdSchema, makeCrd } from '../../kinds/schema/crd.ts'
import { definitions } from '../../kinds/definitions.ts'
import type { KindDefinition } from '../../kinds/schema/definition.ts'

/** Paths such as `app.spec.env[].valueFrom.secretKeyRef`, sorted. */
export function secretPaths(): string[] {
  return Object.entries<KindDefinition>(definitions)
    .flatMap(([kind, definition]) => below(kind, schemaOf(definition)))
    .sort()
}

function schemaOf(definition: KindDefinition): CrdSchema {
  // The schema as makeCrd writes it.
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

/** Whether the field is a reference to an object by name, or a text whose name or description mentions a Secret. */
function namesSecret(path: string, schema: CrdSchema): boolean {
  const { properties, type, description = '' } = schema
  if (properties?.['name'] !== undefined && Object.keys(properties).every((key) => key === 'name' || key === 'key'))
    return true
  if (path.endsWith('.webhooks[].id')) return true // svc makes the name `<project>-webhook-<id>` of it
  return type === 'string' && (about.test(path.split('.').at(-1) ?? '') || /\bSecret\b/.test(description))
}
