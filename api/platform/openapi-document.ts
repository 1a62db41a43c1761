/** The OpenAPI document, made from the contract: exactly the versioned operations. */
import { createDocument, type CreateDocumentOptions } from 'zod-openapi'
import { z } from 'zod'
import {
  isWrite,
  okView,
  pathParams,
  serverEventView,
  type Access,
  type Operation,
  type V1Route,
} from '../../contract/operation.ts'
import { allOperations } from '../../contract/operations.ts'
import { logLine } from '../../contract/fields/logs.ts'
import { metricsView } from '../../contract/fields/metrics.ts'
import { detailView, summariesView, summaryView } from '../../contract/views/resource.ts'
import { tokenRecordView } from '../../contract/views/token-record.ts'

type Document = ReturnType<typeof createDocument>

/** The names of path parameters (docs/reference/conventions.md#the-openapi-document). */
const shownParams: Record<string, string> = {
  app: 'name',
  project: 'name',
  db: 'name',
  logicalDatabase: 'name',
  store: 'name',
  node: 'name',
  template: 'id',
}

const plainAccess: Record<Access, 'public' | 'viewer' | 'observer' | 'project' | 'admin'> = {
  public: 'public',
  viewer: 'viewer',
  observer: 'observer',
  admin: 'admin',
  adminSession: 'admin',
  anyToken: 'project',
  projectTokenOnly: 'project',
}

const description = `Projects, services, databases and buckets of a deployment platform.

Bodies are JSON objects; fields that a rule of the platform refuses answer 400 with a sentence. In a body \`true\` switches on, while
\`false\` and \`null\` leave the field out, so that what is stored stays: to switch something off send the text \`off\`. A list repeats its
field; where an empty list means something other than no list, send the empty text. Query parameters are fields, too.`

/** OpenAPI 3.0.3; responses are described only as success, 400, 401, 403 and 404. */
export function openapiDocument(): Document {
  const paths: Record<string, Record<string, object>> = {}
  for (const [, operation] of allOperations) {
    if (operation.v1 === undefined) continue
    const path = shownPath(operation.v1.path)
    paths[path] = { ...paths[path], [operation.v1.method.toLowerCase()]: describe(operation, operation.v1) }
  }
  return createDocument(
    {
      openapi: '3.0.3',
      info: { title: 'svc', version: 'v1', description },
      servers: [{ url: '/api/v1' }],
      security: [{ bearer: [] }],
      tags: [...new Set(allOperations.filter(([, { v1 }]) => v1 !== undefined).map(([, { tag }]) => tag))].map(
        (name) => ({ name }),
      ),
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }, schemas: namedViews },
      paths,
    },
    { override: asCallersSeeIt },
  )
}

/** Views of several operations, which the document defines once. */
const namedViews = {
  Ok: okView,
  ResourceSummary: summaryView,
  ResourceList: summariesView,
  Resource: detailView,
  ApiToken: tokenRecordView,
  LogLine: logLine,
  Metrics: metricsView,
}

/**
 * Changes the schema where callers send or get something else than handlers: booleans may be sent as form texts, and
 * answers may get further fields later.
 */
const asCallersSeeIt: NonNullable<CreateDocumentOptions['override']> = ({ zodSchema, jsonSchema, io }) => {
  if (io === 'output') {
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    return
  }
  if (zodSchema instanceof z.ZodBoolean) {
    delete jsonSchema.type
    jsonSchema.anyOf = [{ type: 'boolean' }, { type: 'string', enum: ['on', 'off'] }]
  }
}

const shownPath = (path: string): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => `{${shownParams[name] ?? name}}`)

/** Writes that a project token may call have the access level `project` of their own. */
export function shownAccess(operation: Operation): string {
  const open = operation.v1?.projectToken === true && operation.access === 'admin'
  return open ? 'project' : plainAccess[operation.access]
}

function describe(operation: Operation, route: V1Route): object {
  const inPath = pathParams(route.path)
  const fields = Object.entries<z.ZodType>(operation.params.shape).filter(([name]) => !inPath.includes(name))
  const inBody = ['POST', 'PATCH', 'PUT'].includes(route.method)
  const query = inBody ? {} : Object.fromEntries(fields)
  return {
    summary: operation.summary,
    tags: [operation.tag],
    operationId: operationIdOf(route),
    'x-access': shownAccess(operation),
    'x-project-token': route.projectToken === true,
    ...(operation.access === 'public' ? { security: [] } : {}),
    requestParams: {
      path: z.object(Object.fromEntries(inPath.map((name) => [shownParams[name] ?? name, z.string()]))),
      query: z.object(query),
    },
    ...(isWrite(operation) && inBody ? { requestBody: bodyOf(fields, route) } : {}),
    responses: { [String(operation.status ?? 200)]: successOf(operation), ...problems },
  }
}

/** `POST /apps/{app}/config/set` is `postAppsByNameConfigSet`. */
function operationIdOf({ method, path }: V1Route): string {
  const words = shownPath(path)
    .replace(/\{(\w+)\}/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function bodyOf(fields: [string, z.ZodType][], route: V1Route): object {
  const shape = Object.fromEntries(fields.map(([name, type]) => [name, requiredBy(route, name, type)]))
  const schema = z.object(shape)
  return { required: Object.values(shape).some(isRequired), content: { 'application/json': { schema } } }
}

/** A field that this surface requires is marked as required, although another surface may leave it out. */
function requiredBy(route: V1Route, name: string, type: z.ZodType): z.core.$ZodType {
  if (route.required?.[name] === undefined) return type
  return type instanceof z.ZodOptional || type instanceof z.ZodDefault ? type.unwrap() : type
}

const isRequired = (type: z.core.$ZodType): boolean => !(type instanceof z.ZodOptional || type instanceof z.ZodDefault)

const error = z
  .object({ error: z.string(), code: z.string() })
  .meta({ id: 'Error', description: 'A plain sentence and a code.' })

const problem = (id: string, meaning: string) => ({
  id,
  description: meaning,
  content: { 'application/json': { schema: error } },
})
const problems = {
  '400': problem('Invalid', 'the request is invalid or a rule refused it'),
  '401': problem('Unauthenticated', 'no valid session or token'),
  '403': problem('Forbidden', 'the role or token scope does not allow it'),
  '404': problem('NotFound', 'no such resource'),
}

function successOf({ stream, view }: Operation): object {
  const content =
    stream === true ? { 'text/event-stream': { schema: serverEventView } } : { 'application/json': { schema: view } }
  return { description: 'success', content }
}
