/** HTTP connections that a guard judges, names and literal addresses alike. */

import { isIP } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { AddressRefused, type Guard } from './guard.ts'
import { defined } from '../contract/defined.ts'

export interface GuardedAgentOptions {
  /** Certificate authorities in PEM; the machine's when absent. */
  ca?: string | undefined
  /** Gets the address of every connection that was made. */
  onConnect?: (address: string) => void
}

/** For undici's `fetch` and `request`; its maker closes it. */
export function createGuardedAgent(guard: Guard, { ca, onConnect }: GuardedAgentOptions = {}): Agent {
  const connect = buildConnector({ lookup: guard.lookup, allowH2: false, ...defined({ ca }) })
  return new Agent({
    allowH2: false,
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '')
      // A connection to a literal address looks nothing up.
      if (isIP(host) !== 0 && !guard.allows(host)) return callback(new AddressRefused(), null)
      return connect(options, (error, socket) => {
        if (error !== null) return callback(error, null)
        onConnect?.(socket.remoteAddress ?? '')
        return callback(null, socket)
      })
    },
  })
}
