/** GitHub's own client. It is imported on first use: it would double the start time of an api. */
import { createAppAuth } from '@octokit/auth-app'
import { Octokit } from '@octokit/core'
import { paginateRest } from '@octokit/plugin-paginate-rest'
import { defined } from '../../contract/defined.ts'
import type { GitHostApp } from '../../kinds/platform/settings.ts'
import type { GitHostSettings } from './addresses.ts'

const Client = Octokit.plugin(paginateRest)
export type Client = InstanceType<typeof Client>

/** The identity of calls: a person by a token, the app, one of its installations, or none. */
export interface Who {
  readonly token?: string
  readonly app?: GitHostApp
  readonly installation?: number
}

export function connectAs({ api, callMs }: GitHostSettings, { token, app, installation }: Who): Client {
  const request = {
    fetch: (url: string, init: RequestInit): Promise<Response> =>
      fetch(url, { ...init, signal: AbortSignal.timeout(callMs) }),
  }
  const options = { baseUrl: api, request, userAgent: 'svc' }
  if (app === undefined) return new Client({ ...options, ...defined({ auth: token }) })
  const auth = { appId: app.appId, privateKey: app.privateKey, ...defined({ installationId: installation }) }
  return new Client({ ...options, authStrategy: createAppAuth, auth })
}
