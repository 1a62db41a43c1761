/** PlanetScale's HTTP API for one organization (api.planetscale.com/v1). */
import { UpstreamError, shortly, whyUnanswered } from '../upstream-error.ts'

export interface PlanetScaleKeys {
  /** A service token as `<id>:<token>`, the form of the API's header. */
  token: string
  organization: string
}

export interface PlanetScaleSettings {
  /** The endpoint of the API; tests set another. */
  endpoint: string
  /** Deadline of one call, in milliseconds. */
  callMs: number
}

export interface PlanetScale {
  /**
   * One call below `/organizations/<organization>`; '' is the organization itself. Returns PlanetScale's JSON,
   * undefined for an empty answer. Throws UpstreamError: `<status>: <body>`, or that it does not answer.
   */
  ask(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<unknown>
}

export type PlanetScales = (keys: PlanetScaleKeys) => PlanetScale

/**
 * SVC_PLANETSCALE_ENDPOINT: an endpoint instead of PlanetScale's own. SVC_PLANETSCALE_CALL_MS: deadline of a call.
 */
export function planetScaleSettings(env: Readonly<Record<string, string | undefined>>): PlanetScaleSettings {
  return {
    endpoint: env['SVC_PLANETSCALE_ENDPOINT'] ?? 'https://api.planetscale.com/v1',
    callMs: Number(env['SVC_PLANETSCALE_CALL_MS'] ?? 10_000),
  }
}

export const createPlanetScale =
  ({ endpoint, callMs }: PlanetScaleSettings): PlanetScales =>
  ({ token, organization }) => ({
    async ask(method, path, body) {
      const url = `${endpoint}/organizations/${encodeURIComponent(organization)}${path}`
      const headers = {
        authorization: token,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      }
      let status: number
      let text: string
      try {
        const sent = { method, headers, redirect: 'error' as const, signal: AbortSignal.timeout(callMs) }
        const answer = await fetch(url, { ...sent, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
        status = answer.status
        text = await answer.text()
      } catch (error) {
        throw new UpstreamError(0, '', `PlanetScale does not answer: ${whyUnanswered(error)}`, true)
      }
      const said = parsed(text)
      if (status < 300) return said
      // The shape of the API's errors.
      const { code = '', message = text } = (said ?? {}) as { code?: string; message?: string }
      const why = [String(status), code, shortly(message, [token, ...token.split(':')])].filter((part) => part !== '')
      throw new UpstreamError(status, code, why.join(': '), status >= 500 || status === 429 || status === 408)
    },
  })

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
