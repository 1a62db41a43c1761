/**
 * One HTTP request to a function. The host is what a user of the platform named, so the addresses it leads to are
 * judged where the connection is made: never the link-local ones, where clouds keep their metadata.
 */
import { lookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'
import type { functionMethods } from '../../contract/fields/words.ts'
import { functionAnswerBytes, functionCallSeconds } from '../../contract/limits.ts'
import { ToolError } from '../tool/tool.ts'

export interface FunctionRequest {
  method: (typeof functionMethods)[number]
  /** Path and query, starting with a slash. */
  path: string
  body?: string | undefined
}

export interface FunctionAnswer {
  status: number
  content_type: string
  body: string
  truncated: boolean
}

interface CallOptions {
  signal: AbortSignal
  /** Whether loopback addresses may be called: where the platform itself is on this machine. */
  nearby: boolean
  timeoutMs?: number
}

/** Redirects are answered, not followed. @throws ToolError when there is no answer. */
export async function callFunction(
  url: string,
  { method, path, body }: FunctionRequest,
  { signal, nearby, timeoutMs = functionCallSeconds * 1000 }: CallOptions,
): Promise<FunctionAnswer> {
  const target = new URL(url.replace(/\/+$/, '') + path)
  const limit = AbortSignal.timeout(timeoutMs)
  const host = target.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !isAllowed(host, nearby)) throw refused()
  try {
    const response = await send(target, method, body, guardedLookup(nearby), AbortSignal.any([signal, limit]))
    const { text, truncated } = await readAnswer(response)
    return {
      status: response.statusCode ?? 0,
      content_type: response.headers['content-type'] ?? '',
      body: text,
      truncated,
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ToolError) throw error
    if (limit.aborted) throw new ToolError(`the function did not answer within ${timeoutMs / 1000} seconds`)
    throw new ToolError(`the function could not be reached: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function send(
  target: URL,
  method: string,
  body: string | undefined,
  lookUp: LookupFunction,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = target.protocol === 'https:' ? httpsRequest : httpRequest
  const headers = body === undefined ? {} : { 'content-type': isJson(body) ? 'application/json' : 'text/plain' }
  return await new Promise((resolve, reject) => {
    // An own connection: one that is kept could lead to an address judged long ago.
    const sent = request(target, { method, headers, lookup: lookUp, signal, agent: false }, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
}

async function readAnswer(response: IncomingMessage): Promise<{ text: string; truncated: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    chunks.push(chunk as Buffer) // no encoding is set
    size += (chunk as Buffer).length
    if (size > functionAnswerBytes) break // which ends the connection
  }
  const whole = Buffer.concat(chunks)
  return { text: whole.subarray(0, functionAnswerBytes).toString('utf8'), truncated: size > functionAnswerBytes }
}

/** What is checked is what is connected to (DNS rebinding). */
const guardedLookup =
  (nearby: boolean): LookupFunction =>
  (host, options, callback) =>
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null || first === undefined) return callback(error ?? refused(), '', 0)
      if (!addresses.every(({ address }) => isAllowed(address, nearby))) return callback(refused(), '', 0)
      return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family)
    })

const never = new BlockList()
never.addSubnet('0.0.0.0', 8)
never.addSubnet('169.254.0.0', 16)
never.addAddress('100.100.100.200')
never.addAddress('::', 'ipv6')
never.addSubnet('fe80::', 10, 'ipv6')
never.addAddress('fd00:ec2::254', 'ipv6')

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

function isAllowed(address: string, nearby: boolean): boolean {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  return !never.check(address, family) && (nearby || !loopback.check(address, family))
}

const refused = () => new ToolError('the address of the function is not one that may be called')

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
