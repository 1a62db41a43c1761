/**
 * Requests to a registry: over connections that a guard checks, with few redirects, and never with a login for another
 * host.
 */
import { type Agent, fetch, type Response } from 'undici'
import { createGuard, type GuardOptions } from '../guard.ts'
import { createGuardedAgent } from '../guarded-agent.ts'
import { defined } from '../../contract/defined.ts'

export interface Question {
  method: 'GET' | 'HEAD' | 'DELETE'
  signal: AbortSignal
  accept?: string
  authorization?: string | undefined
}

export interface Answer {
  response: Response
  /** A redirect led to another host. */
  elsewhere: boolean
}

/** The connections for one lookup of an image; the guard checks addresses again for each lookup. */
export interface Line {
  /** Follows redirects to public hosts over https only; throws for others, and for addresses the guard refuses. */
  ask(url: URL, question: Question): Promise<Answer>
  /** Whether a connection led to a private address. */
  readonly reachedPrivate: boolean
  close(): Promise<void>
}

export interface LineOptions extends GuardOptions {
  /** Certificate authorities in PEM; the machine's when absent. */
  ca?: string | undefined
}

const redirectsMax = 3

export function openLine(options: LineOptions): Line {
  const publicly = createGuard({ ...options, allowPrivate: false })
  let reachedPrivate = false
  const own = createGuardedAgent(createGuard(options), {
    ca: options.ca,
    onConnect: (address) => {
      if (!publicly.allows(address)) reachedPrivate = true
    },
  })
  const elsewhere = createGuardedAgent(publicly, { ca: options.ca })
  const send = (agent: Agent, url: URL, { accept, authorization, ...rest }: Question) => {
    const headers = {
      ...defined({ accept, authorization }),
    }
    return fetch(url, { ...rest, headers, redirect: 'manual', dispatcher: agent })
  }
  return {
    async ask(url, question) {
      let [at, asked] = [url, question]
      let response = await send(own, at, asked)
      for (let left = redirectsMax; isRedirect(response); left -= 1) {
        const next = URL.parse(response.headers.get('location') ?? '', at.href)
        await discard(response)
        if (left === 0 || next?.protocol !== 'https:' || next.username !== '' || next.password !== '')
          throw new Error('it leads elsewhere')
        if (next.origin !== at.origin) asked = { ...asked, authorization: undefined }
        at = next
        response = await send(elsewhere, at, asked)
      }
      return { response, elsewhere: at.origin !== url.origin }
    },
    get reachedPrivate() {
      return reachedPrivate
    },
    close: async () => void (await Promise.all([own.destroy(), elsewhere.destroy()])),
  }
}

const isRedirect = ({ status }: Response): boolean => [301, 302, 303, 307, 308].includes(status)

/** Reads the rest of a body: an unread one would block its connection. */
export async function discard(response: Response): Promise<void> {
  await response.body?.cancel()
}

/** The whole body; throws once it is longer than `bytesMax`. */
export async function readBody(response: Response, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const body: AsyncIterable<Uint8Array> | null = response.body
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new Error(`an answer of more than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
