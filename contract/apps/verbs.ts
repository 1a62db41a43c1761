/** How operations on one service are declared: what they share of paths, access and params. */
import { z } from 'zod'
import { resourceName } from '../fields/fields.ts'
import { operation, type Access } from '../operation.ts'

export const tag = 'Services'
export const app = resourceName('app')
export const ofApp = z.object({ app })

/** `POST /apps/{name}/<verb>` on both surfaces, open to project tokens. */
export const verb = <Params extends z.ZodObject, View extends z.ZodType>(
  path: string,
  summary: string,
  params: Params,
  view: View,
) =>
  operation({
    summary,
    tag,
    access: 'admin',
    v1: { method: 'POST', path: `/apps/{app}/${path}`, projectToken: true },
    dashboard: { method: 'POST', path: `/api/apps/{app}/${path}`, projectToken: true },
    params,
    view,
  })

/** `POST /api/apps/{app}/<verb>` without a path of its own below `/api/v1`. */
export const dashboardVerb = <Params extends z.ZodObject, View extends z.ZodType>(
  path: string,
  summary: string,
  params: Params,
  view: View,
  projectToken = false,
) =>
  operation({
    summary,
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: `/api/apps/{app}/${path}`, projectToken },
    params,
    view,
  })

/** `GET /apps/{name}/<path>`; the dashboard serves the same read unless it says otherwise. */
export const read = <Params extends z.ZodObject, View extends z.ZodType>(
  path: string,
  summary: string,
  access: Access,
  params: Params,
  view: View,
) =>
  operation({
    summary,
    tag,
    access,
    v1: { method: 'GET', path: `/apps/{app}/${path}`, projectToken: true },
    dashboard: { method: 'GET', path: `/api/apps/{app}/${path}`, projectToken: true },
    params,
    view,
  })
