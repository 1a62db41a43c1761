/**
 * The sessions of agents over HTTP: each belongs to the token it was begun with and to no other, and goes when the
 * token is refused, when the agent says so, or when it was silent for long.
 */
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createHash, randomUUID } from 'node:crypto'
import { agentSessions, requestBodyBytes } from '../../contract/limits.ts'
import type { createAgentServer } from '../server.ts'

type AgentServer = ReturnType<typeof createAgentServer>

interface Session {
  readonly id: string
  /** A digest: a list of sessions need not hold tokens. */
  readonly owner: string
  readonly transport: StreamableHTTPServerTransport
  readonly server: AgentServer
  usedAt: number
  /** Requests that are being answered: a session at work is not silent. */
  busy: number
}

export interface Sessions {
  /** The session of the id, if it is the token's own. */
  find(id: string, token: string): Session | undefined
  /** Connects the server; the session counts once the agent has initialized it. */
  open(token: string, server: AgentServer): Promise<StreamableHTTPServerTransport>
  /** Ends all sessions of a token. */
  endAllOf(token: string): Promise<void>
  /** Ends what was silent for too long. */
  endSilent(): Promise<void>
  endAll(): Promise<void>
}

export const ownerOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** @param now milliseconds of a clock that only moves forward. */
export function createSessions(now: () => number): Sessions {
  const sessions = new Map<string, Session>()

  const end = async (session: Session): Promise<void> => {
    sessions.delete(session.id)
    await session.server.close()
  }
  const endEach = async (chosen: (session: Session) => boolean): Promise<void> => {
    await Promise.all([...sessions.values()].filter(chosen).map(end))
  }
  /** Ends the session silent for longest where there are as many as may be, first one of the same token. */
  const endExcess = async (owner: string): Promise<void> => {
    const own = [...sessions.values()].filter((session) => session.owner === owner)
    if (own.length >= agentSessions.perToken) await endSilentest(own)
    if (sessions.size >= agentSessions.total) await endSilentest([...sessions.values()])
  }
  const endSilentest = async (among: readonly Session[]): Promise<void> => {
    const [silentest] = among.toSorted((one, other) => one.busy - other.busy || one.usedAt - other.usedAt)
    if (silentest !== undefined) await end(silentest)
  }

  return {
    find: (id, token) => {
      const session = sessions.get(id)
      if (session === undefined || session.owner !== ownerOf(token)) return undefined
      session.usedAt = now()
      return session
    },
    open: async (token, server) => {
      const owner = ownerOf(token)
      await endExcess(owner)
      const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        maxRequestBodySize: requestBodyBytes,
        onsessioninitialized: (id) => void sessions.set(id, { id, owner, transport, server, usedAt: now(), busy: 0 }),
        onsessionclosed: (id) => void sessions.delete(id),
      })
      await server.connect(transport)
      return transport
    },
    endAllOf: async (token) => {
      const owner = ownerOf(token)
      await endEach((session) => session.owner === owner)
    },
    endSilent: async () => {
      const silentSince = now() - agentSessions.idleSeconds * 1000
      await endEach(({ busy, usedAt }) => busy === 0 && usedAt < silentSince)
    },
    endAll: async () => await endEach(() => true),
  }
}
