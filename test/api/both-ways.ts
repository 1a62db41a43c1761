/** The same read by the short way, where it is one, and by the application, as bytes on the wire. */
import { request } from 'node:http'
import type { Asked, TestApi } from './test-api.ts'

export interface Raw {
  readonly status: number
  /** Names and values in the order in which they came, but for the date. */
  readonly head: readonly string[]
  readonly body: string
}

/** A body of no bytes sends a read to the application and changes nothing else. */
const toApplication = { 'content-length': '0' }

/** One request with exactly these headers. */
export function readRaw(
  api: TestApi,
  path: string,
  { token, cookie, headers = {} }: Asked,
  method = 'GET',
): Promise<Raw> {
  const sent = {
    ...headers,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(cookie === undefined ? {} : { cookie }),
  }
  return new Promise((resolve, reject) => {
    const asking = request(api.baseUrl + path, { method, headers: sent }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.once('error', reject)
      answer.once('end', () => {
        const at = answer.rawHeaders.indexOf('Date')
        const head = answer.rawHeaders.toSpliced(at, at < 0 ? 0 : 2)
        resolve({ status: answer.statusCode ?? 0, head, body: Buffer.concat(parts).toString() })
      })
    })
    asking.once('error', reject)
    asking.end()
  })
}

export const readByApplication = (api: TestApi, path: string, asked: Asked): Promise<Raw> =>
  readRaw(api, path, { ...asked, headers: { ...asked.headers, ...toApplication } })

/**
 * A read by both ways, and whether the second one went the short way. A token of which nothing was received for five
 * seconds is looked for by the application: on a slow machine that may be between the two, so it is tried again.
 */
export async function readBothWays(
  api: TestApi,
  path: string,
  asked: Asked,
): Promise<{ byApplication: Raw; found: Raw; isShort: boolean }> {
  for (let tries = 1; ; tries += 1) {
    const byApplication = await readByApplication(api, path, asked)
    const before = await shortReadsOf(api)
    const found = await readRaw(api, path, asked)
    const isShort = (await shortReadsOf(api)) > before
    if (isShort || found.status !== 200 || tries === 3) return { byApplication, found, isShort }
  }
}

/** How many reads have gone the short way. */
export async function shortReadsOf(api: TestApi): Promise<number> {
  return Number(/^svc_api_short_reads_total (\d+)$/m.exec((await api.ask('GET', '/metrics')).text)?.[1])
}
