/**
 * One HTTP request to a function. The host is what a user of the platform named, so the addresses it leads to are
 * judged where the connection is made: never the link-local ones, where clouds keep their metadata.
 */
import { lookup, type LookupAddress, type LookupAllOptions } from 'node:dns'
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

/** Names below `localhost` are this machine (RFC 6761, 6.3), which not every resolver of a system knows. */
function lookUpName(
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
): void {
  if (host.endsWith('.localhost')) callback(null, [{ address: '127.0.0.1', family: 4 }])
  else lookup(host, options, callback)
}

/** What is checked is what is connected to (DNS rebinding). */
const guardedLookup =
  (nearby: boolean): LookupFunction =>
  (host, options, callback) =>
    lookUpName(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null || first === undefined) return callback(error ?? refused(), '', 0)
      if (!addresses.every(({ address }) => isAllowed(address, nearby))) return callback(refused(), '', 0)
      return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family)
    })

/** A network of IPv4, also as it is written into IPv6: by NAT64 and by 6to4. Mapped addresses are known to the list. */
function forbid(list: BlockList, network: string, bits = 32): void {
  const [a = 0, b = 0, c = 0, d = 0] = network.split('.').map(Number)
  const words = [a * 256 + b, c * 256 + d].map((word) => word.toString(16)).join(':')
  list.addSubnet(network, bits)
  list.addSubnet(`64:ff9b::${words}`, 96 + bits, 'ipv6')
  list.addSubnet(`2002:${words}::`, 16 + bits, 'ipv6')
}

/** Link-local addresses, and those outside of them where clouds have their metadata. */
const never = new BlockList()
forbid(never, '0.0.0.0', 8)
forbid(never, '169.254.0.0', 16)
for (const metadata of ['100.100.100.200', '168.63.129.16']) forbid(never, metadata)
never.addAddress('::', 'ipv6')
never.addSubnet('fe80::', 10, 'ipv6')
never.addAddress('fd00:ec2::254', 'ipv6')
never.addSubnet('64:ff9b:1::', 48, 'ipv6') // NAT64 of the own network, in which any form may be

const loopback = new BlockList()
forbid(loopback, '127.0.0.0', 8)
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
