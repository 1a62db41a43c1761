/**
 * Sends one signed message to a webhook, as Standard Webhooks asks for: one try, bounded in time and in what is read.
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
  /** The same for every try of a message, so that receivers can tell a repetition. */
  id: string
  /** JSON text. */
  body: string
}

export type Outcome = { ok: true; status: number } | { ok: false; status?: number; reason: string }

export interface SenderOptions extends GuardOptions {
  /** One try, from the resolving of the name to the end of the answer. */
  tryMs: number
  now: () => Date
}

export interface WebhookSender {
  /** Why a webhook may not have this URL. */
  refusal(url: string): Promise<string | undefined>
  /** Never throws for what a receiver does. */
  send(receiver: Receiver, message: Message): Promise<Outcome>
}

/** What is read of an answer before the connection is closed; its content is of no interest. */
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
 * Of this try: receivers refuse old timestamps, to keep recorded messages from being played again. Undefined for no
 * usable secret.
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
    return undefined // somebody wrote something else into the Secret
  }
}

/** The status of the answer. A connection of its own each time: a kept one would outlive the check of its address. */
function post(
  url: URL,
  headers: Record<string, string>,
  body: string,
  guard: Guard,
  signal: AbortSignal,
): Promise<number> {
  const host = hostIn(url)
  // A connection to a literal address looks nothing up.
  if (isIP(host) !== 0 && !guard.allows(host)) return Promise.reject(new AddressRefused())
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', headers, lookup: guard.lookup, agent: false, signal })
    let status: number | undefined
    // Once there is a status, it has said what counts, however the answer ends.
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
