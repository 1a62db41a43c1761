/** A row of the refusals: the request, and the sentence of its answer. */
import type { Answer, Asked, TestApi } from '../api/test-api.ts'

export interface World {
  readonly api: TestApi
  readonly admin: Asked
  readonly cookie: Asked
  readonly observer: Asked
  readonly viewer: Asked
  readonly projectToken: Asked
  readonly project: string
  readonly app: string
  readonly fn: string
  readonly foreign: string
}

/** The request, and the status and sentence of its answer. */
export type Row = readonly [
  line: string,
  ask: (world: World) => Promise<Answer>,
  status: number,
  code: string,
  sentence: string,
]

export const json = (who: Asked, body: object): Asked => ({ ...who, json: body })
export const patch =
  (fields: object) =>
  ({ api, admin, app }: World) =>
    api.ask('PATCH', `/api/v1/apps/${app}`, json(admin, fields))
export const post =
  (path: string, fields: object = {}) =>
  ({ api, admin, app, project, fn }: World) =>
    api.ask(
      'POST',
      `/api/v1${path.replace('{app}', app).replace('{project}', project).replace('{fn}', fn)}`,
      json(admin, fields),
    )
export const get =
  (path: string) =>
  ({ api, admin, app }: World) =>
    api.ask('GET', `/api/v1${path.replace('{app}', app)}`, admin)
export const invalid = [400, 'invalid_request'] as const
