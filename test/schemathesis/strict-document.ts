/** The OpenAPI document for Schemathesis: stricter than the served one. */
import { openapiDocument } from '../../api/platform/openapi-document.ts'

type Json = Record<string, unknown>

interface Response {
  readonly content?: Readonly<Record<string, { schema: Json }>>
}

/**
 * Answers may have no undescribed field, and the answers that Authentication lists besides the five are described, too.
 */
export function strictDocument(): Json {
  const document = JSON.parse(JSON.stringify(openapiDocument())) as {
    components: { schemas: Json }
    paths: Record<string, Record<string, Json>>
  } // a copy of our own JSON
  for (const schema of Object.values(document.components.schemas)) close(schema)
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const operation of Object.values(methods)) {
      const responses = operation['responses'] as Json // every operation has responses
      for (const response of Object.values(responses) as Response[]) {
        close(response)
      }
      if (path === '/auth/device' || path === '/auth/token')
        responses['429'] = { $ref: '#/components/responses/Invalid' }
    }
  }
  return document
}

/** Forbids undescribed fields in every object below. */
function close(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if ('properties' in value && !('additionalProperties' in value)) Object.assign(value, { additionalProperties: false })
  for (const each of Object.values(value)) close(each)
}
