/** A proxy between svc and AWS (or its stand-in) that makes chosen calls fail. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { atEnd } from './stack.ts'

export type Fault =
  /** The connection is closed before the call has an effect. */
  | 'dropped before'
  /** The call takes effect, but its answer is lost. */
  | 'dropped after'
  | 'reset'
  | 'throttled'
  | 'internal error'
  /** The answer arrives long after the caller's timeout. */
  | 'slow'
  | 'access denied'
  /** Another account owns the name of the bucket. */
  | 'taken'
  /** The object is reported missing, even after it was made. */
  | 'absent'

export interface FaultRule {
  /** The operation in AWS's terms, e.g. `CreateAccessKey`. */
  operation: string
  /** Number of calls that fail, from the first one that no earlier rule handles; every call when left out. */
  times?: number
  fault: Fault
  /** Awaited before the failure, e.g. to kill the process that waits for this answer. */
  meanwhile?: () => Promise<void>
  /** Part of path, login or body: only calls that contain it fail. */
  about: string
}

export interface AddedRule {
  /** Number of calls that this rule made fail so far. */
  used(): number
  /** Removes the rule. */
  heal(): void
}

export interface FaultProxy {
  readonly url: string
  /**
   * The operations requested since the start, in order, e.g. `CreateUser`. @param about parts of path, login or body;
   * one match is enough
   */
  asked(...about: string[]): string[]
  add(rule: FaultRule): AddedRule
  /** Refuses every connection and closes the open ones; the returned function ends that. */
  cut(): () => void
  stop(): Promise<void>
}

interface Seen {
  operation: string
  content: string
}

/** @param slowMs delay of a slow answer */
export async function startFaultProxy(target: string, slowMs: number): Promise<FaultProxy> {
  const rules = new Set<FaultRule & { count: number }>()
  const seen: Seen[] = []

  let isCut = false
  const serve = async (asked: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (isCut) return void asked.socket.destroy()
    const body = await text(asked)
    const call: Seen = {
      operation: operationOf(asked, body),
      content: `${asked.url ?? ''} ${asked.headers.authorization ?? ''} ${body}`,
    }
    seen.push(call)
    const rule = ruleFor(rules, call)
    const fault = rule?.fault
    if (fault !== 'dropped after') await rule?.meanwhile?.()
    if (fault === 'dropped before') return void asked.socket.destroy()
    if (fault === 'reset') return void asked.socket.resetAndDestroy()
    const refusal = fault === undefined ? undefined : refusals[fault]
    if (refusal !== undefined)
      return void response
        .writeHead(refusal.status, { 'content-type': 'text/xml' })
        .end(refusal.body(asked.method === 'HEAD', isQuery(asked)))
    const { status, headers, answer } = await forward(target, asked, body)
    if (fault === 'dropped after') await rule?.meanwhile?.()
    if (fault === 'dropped after') return void asked.socket.destroy()
    if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, slowMs))
    response.writeHead(status, headers).end(answer)
  }

  const server = createServer((asked, response) => {
    serve(asked, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : new Error(String(error))),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  atEnd(stop)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server has one
    asked: (...about) =>
      seen.filter(({ content }) => about.some((part) => content.includes(part))).map(({ operation }) => operation),
    add: (rule) => {
      const counted = { ...rule, count: 0 }
      rules.add(counted)
      return { used: () => counted.count, heal: () => void rules.delete(counted) }
    },
    cut: () => {
      isCut = true
      server.closeAllConnections()
      return () => (isCut = false)
    },
    stop,
  }
}

function ruleFor(rules: Iterable<FaultRule & { count: number }>, { operation, content }: Seen): FaultRule | undefined {
  for (const rule of rules) {
    if (rule.operation !== operation || !content.includes(rule.about)) continue
    if (rule.times !== undefined && rule.count >= rule.times) continue
    rule.count += 1
    return rule
  }
  return undefined
}

const xml = (code: string, message: string) => (head: boolean, query: boolean) => {
  if (head) return ''
  const error = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`
  return query
    ? `<ErrorResponse>${error}<RequestId>none</RequestId></ErrorResponse>`
    : `<?xml version="1.0" encoding="UTF-8"?>${error}`
}

const refusals: Partial<Record<Fault, { status: number; body: (head: boolean, query: boolean) => string }>> = {
  throttled: { status: 503, body: xml('SlowDown', 'Please reduce your request rate.') },
  'internal error': { status: 500, body: xml('InternalError', 'We encountered an internal error. Please try again.') },
  absent: { status: 404, body: xml('NoSuchEntity', 'It cannot be found.') },
  taken: { status: 409, body: xml('BucketAlreadyExists', 'The requested bucket name is not available.') },
  'access denied': { status: 403, body: xml('AccessDenied', 'User is not authorized to perform this action') },
}

/** IAM and STS name the operation in a form; S3 encodes it in method, path and query. */
const isQuery = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true

function operationOf(asked: IncomingMessage, body: string): string {
  if (isQuery(asked)) return new URLSearchParams(body).get('Action') ?? ''
  const { pathname, searchParams } = new URL(asked.url ?? '/', 'http://localhost')
  const [, bucket = '', ...key] = pathname.split('/')
  const has = (name: string): boolean => searchParams.has(name)
  const { method = 'GET' } = asked
  if (bucket === '') return 'ListBuckets'
  if (key.join('/') !== '') return has('uploadId') && method === 'DELETE' ? 'AbortMultipartUpload' : `${method} object`
  if (has('tagging')) return method === 'GET' ? 'GetBucketTagging' : 'PutBucketTagging'
  if (has('delete')) return 'DeleteObjects'
  if (has('versions')) return 'ListObjectVersions'
  if (has('uploads')) return 'ListMultipartUploads'
  return { HEAD: 'HeadBucket', PUT: 'CreateBucket', DELETE: 'DeleteBucket' }[method] ?? `${method} bucket`
}

/** Forwards the signed headers unchanged, including `Host`. */
function forward(
  target: string,
  { method, url = '/', headers }: IncomingMessage,
  body: string,
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; answer: Buffer }> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(url, target), { method, headers, agent: false }, (answered) => {
      buffer(answered).then((answer) => {
        const { 'transfer-encoding': _, connection: __, ...kept } = answered.headers
        resolve({
          status: answered.statusCode ?? 502,
          headers: { ...kept, ...(method === 'HEAD' ? {} : { 'content-length': String(answer.length) }) },
          answer,
        })
      }, reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
