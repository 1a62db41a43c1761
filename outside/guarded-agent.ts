/** HTTP connections that a guard checks, both for names and for literal addresses. */
import { isIP } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { AddressRefused, type Guard } from './guard.ts'
import { defined } from '../contract/defined.ts'

export interface GuardedAgentOptions {
  /** Certificate authorities in PEM; the machine's when absent. */
  ca?: string | undefined
  /** Receives the address of every connection that was made. */
  onConnect?: (address: string) => void
}

/** For undici's `fetch` and `request`; the caller closes it. */
export function createGuardedAgent(guard: Guard, { ca, onConnect }: GuardedAgentOptions = {}): Agent {
  const connect = buildConnector({ lookup: guard.lookup, allowH2: false, ...defined({ ca }) })
  return new Agent({
    allowH2: false,
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '')
      // A connection to a literal address makes no lookup.
      if (isIP(host) !== 0 && !guard.allows(host)) return callback(new AddressRefused(), null)
      return connect(options, (error, socket) => {
        if (error !== null) return callback(error, null)
        onConnect?.(socket.remoteAddress ?? '')
        return callback(null, socket)
      })
    },
  })
}
