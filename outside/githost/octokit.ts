/** GitHub's own client. It is imported when the git host is first asked: it would double the start of an api. */
import { createAppAuth } from '@octokit/auth-app'
import { Octokit } from '@octokit/core'
import { paginateRest } from '@octokit/plugin-paginate-rest'
import { defined } from '../../contract/defined.ts'
import type { GitHostApp } from '../../kinds/platform/settings.ts'
import type { GitHostSettings } from './settings.ts'

const Client = Octokit.plugin(paginateRest)
export type Client = InstanceType<typeof Client>

/** A person by a token, the app, one of its installations, or no one signed in. */
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
