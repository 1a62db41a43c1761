/**
 * Sends one signed message to a webhook (Standard Webhooks): one attempt, bounded in time and in bytes read.
 */
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { AddressRefused, createGuard, type Guard, type GuardOptions, hostIn } from '../guard.ts'
import { failureOf, refusedWith } from './failure.ts'
import { refusalOfUrl } from './refusal.ts'

export interface Receiver {
  url: string
  /** `whsec_` and base64. */
  secret: string
}

export interface Message {
  /** The same for every attempt of a message, so that receivers can recognise a repetition. */
  id: string
  /** JSON text. */
  body: string
}

export type Outcome = { ok: true; status: number } | { ok: false; status?: number; reason: string }

export interface SenderOptions extends GuardOptions {
  /** The limit of one attempt, from the lookup of the name to the end of the answer. */
  tryMs: number
  now: () => Date
}

export interface WebhookSender {
  /** Why a webhook may not have this URL; undefined when it may. */
  refusal(url: string): Promise<string | undefined>
  /** Never throws because of a receiver's failure. */
  send(receiver: Receiver, message: Message): Promise<Outcome>
}

/** The number of bytes of an answer that are read before the connection is closed; its content is ignored. */
const answerBytes = 64 * 1024

/** `SVC_WEBHOOK_PRIVATE=1` lets webhooks reach private and loopback addresses. */
export const allowsPrivate = (env: Readonly<Record<string, string | undefined>>): boolean =>
  env['SVC_WEBHOOK_PRIVATE'] === '1'

export function createWebhookSender(options: SenderOptions): WebhookSender {
  const guard = createGuard(options)
  return {
    refusal: (url) => refusalOfUrl(url, guard),
    async send({ url, secret }, { id, body }) {
      const signature = signed(secret, id, options.now(), body)
      if (signature === undefined) return { ok: false, reason: 'the signing secret cannot be used; rotate it' }
      const headers = {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': 'svc-webhooks',
        ...signature,
      }
      try {
        const status = await post(new URL(url), headers, body, guard, AbortSignal.timeout(options.tryMs))
        return status >= 200 && status < 300 ? { ok: true, status } : { ok: false, status, reason: refusedWith(status) }
      } catch (error) {
        return { ok: false, reason: failureOf(error, options.tryMs) }
      }
    },
  }
}

/**
 * The signature of this attempt: receivers refuse old timestamps, against replays. Undefined without a usable secret.
 */
function signed(secret: string, id: string, at: Date, body: string): Record<string, string> | undefined {
  try {
    const signature = new Webhook(secret).sign(id, at, body)
    return {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signature,
    }
  } catch {
    return undefined // the Secret was edited and holds no usable key
  }
}

/** The status of the answer. Every attempt opens a connection: a reused one would outlive the check of its address. */
function post(
  url: URL,
  headers: Record<string, string>,
  body: string,
  guard: Guard,
  signal: AbortSignal,
): Promise<number> {
  const host = hostIn(url)
  // A connection to a literal address makes no lookup.
  if (isIP(host) !== 0 && !guard.allows(host)) return Promise.reject(new AddressRefused())
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', headers, lookup: guard.lookup, agent: false, signal })
    let status: number | undefined
    // The status decides, even if the body fails.
    const end = (error: Error) => (status === undefined ? reject(error) : resolve(status))
    sending.on('error', end)
    sending.on('response', (answer) => {
      status = answer.statusCode ?? 0
      let left = answerBytes
      answer.on('data', (chunk: Buffer) => {
        left -= chunk.length
        if (left < 0) answer.destroy()
      })
      answer.on('error', end)
      answer.on('close', () => end(new Error('closed')))
    })
    sending.end(body)
  })
}
