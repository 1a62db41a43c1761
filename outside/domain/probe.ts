/** Checks that this platform answers at the dashboard's public address (docs/reference/platform.md#the-probe). */
import { request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { errorCode, isCertificateError } from '../upstream-error.ts'
import { defined } from '../../contract/defined.ts'

export interface ProbeOptions {
  /** Time limit from the lookup to the end of the answer. */
  tryMs: number
  lookup: LookupFunction
  /** Authorities to trust in addition to those of Node; `NODE_EXTRA_CA_CERTS` names more for the whole process. */
  ca?: string | undefined
  signal?: AbortSignal | undefined
}

export const probePath = '/svc-probe'
const answerBytes = 16 * 1024

/**
 * Returns why `<url>/svc-probe` does not pass; undefined when it answers HTTP 200 and `ok` true
 * (docs/reference/platform.md#the-probe). A redirect does not pass. The reason never quotes the body. Never throws.
 */
export async function probe(url: string, { tryMs, lookup, ca, signal }: ProbeOptions): Promise<string | undefined> {
  const late = AbortSignal.timeout(tryMs)
  try {
    const { status, body } = await get(
      new URL(probePath, url),
      lookup,
      ca,
      signal === undefined ? late : AbortSignal.any([late, signal]),
    )
    if (status !== 200)
      return status >= 300 && status < 400 ? `it answers ${status}, a redirect` : `it answers ${status}`
    return isPlatform(body) ? undefined : 'something else answers there'
  } catch (error) {
    if (late.aborted) return 'it takes too long'
    return failureOf(error)
  }
}

/** Every probe opens a connection: a reused one would outlive a change of certificate or address. */
function get(
  url: URL,
  lookup: LookupFunction,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<{ status: number; body: string }> {
  const bare = url.hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve, reject) => {
    const asking = request(url, {
      agent: false,
      lookup,
      signal,
      ...defined({ ca }),
      ...(isIP(bare) === 0 ? { servername: bare } : {}),
    })
    asking.on('error', reject)
    asking.on('response', (answer) => {
      const chunks: Buffer[] = []
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > answerBytes) answer.destroy(new Error('too long'))
        else chunks.push(chunk)
      })
      answer.on('error', reject)
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }))
    })
    asking.end()
  })
}

function isPlatform(body: string): boolean {
  try {
    const said: unknown = JSON.parse(body)
    return (
      typeof said === 'object' &&
      said !== null &&
      'ok' in said &&
      said.ok === true &&
      'service' in said &&
      said.service === 'svc-dashboard'
    )
  } catch {
    return false
  }
}

const words: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name does not resolve',
  ECONNREFUSED: 'the connection is refused',
  ECONNRESET: 'the connection is closed before an answer comes',
  EPIPE: 'the connection is closed before an answer comes',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'the host cannot be reached',
  EPROTO: 'no secure connection can be made',
}

function failureOf(error: unknown): string {
  const code = errorCode(error) ?? ''
  if (isCertificateError(code)) return `its certificate is not valid yet (${code})`
  return words[code] ?? (code.startsWith('HPE_') ? 'the answer is not HTTP' : 'it cannot be asked')
}
