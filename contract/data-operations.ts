/**
 * The operations that databases, logical databases and buckets have alike; `path` is the collection's: `/databases`.
 */
import { z } from 'zod'
import { connectionQuery, connectionView } from './views/connection.ts'
import { confirmName, flag } from './fields/fields.ts'
import { okView, operation } from './operation.ts'
import { detailView, summariesView } from './views/resource.ts'
import { ownerQuery } from './fields/workload.ts'

const tag = 'Databases'

/** `GET /databases` */
export const listOf = (path: string, summary: string) =>
  operation({ summary, tag, access: 'viewer', v1: { method: 'GET', path }, params: ownerQuery, view: summariesView })

/** `POST /databases` */
export const createOf = <Params extends z.ZodObject, View extends z.ZodType>(
  path: string,
  summary: string,
  params: Params,
  view: View,
) =>
  operation({
    summary,
    tag,
    access: 'admin',
    v1: { method: 'POST', path },
    dashboard: { method: 'POST', path: `/api${path}/create` },
    params,
    view,
  })

/** `GET /databases/{db}` */
export const getOf = <Named extends z.ZodObject>(path: string, name: string, summary: string, params: Named) =>
  operation({
    summary,
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: `${path}/{${name}}` },
    params,
    view: detailView,
  })

/** `PATCH /databases/{db}` */
export const updateOf = <Params extends z.ZodObject, View extends z.ZodType>(
  path: string,
  name: string,
  summary: string,
  params: Params,
  view: View,
) =>
  operation({
    summary,
    tag,
    access: 'admin',
    v1: { method: 'PATCH', path: `${path}/{${name}}` },
    dashboard: { method: 'POST', path: `/api${path}/{${name}}/update` },
    params,
    view,
  })

/** `DELETE /databases/{db}` */
export const deleteOf = <Shape extends z.ZodRawShape>(
  path: string,
  name: string,
  summary: string,
  params: z.ZodObject<Shape>,
) =>
  operation({
    summary,
    tag,
    access: 'admin',
    v1: { method: 'DELETE', path: `${path}/{${name}}` },
    dashboard: { method: 'POST', path: `/api${path}/{${name}}/delete` },
    params: params.extend({ confirmName: confirmName() }),
    view: okView,
  })

/** The same of what may be in a cloud: `abandon` deletes it without asking there, and the answer names what stays. */
export const deleteOrAbandonOf = <Shape extends z.ZodRawShape>(
  path: string,
  name: string,
  summary: string,
  params: z.ZodObject<Shape>,
) =>
  operation({
    ...deleteOf(path, name, summary, params.extend({ abandon: flag('abandon').optional() })),
    view: okView.extend({ stays: z.array(z.string()).optional() }),
  })

/** `POST /databases/{db}/deploy` */
export const deployOf = <Named extends z.ZodObject>(path: string, name: string, summary: string, params: Named) =>
  operation({
    summary,
    tag,
    access: 'admin',
    v1: { method: 'POST', path: `${path}/{${name}}/deploy` },
    dashboard: { method: 'POST', path: `/api${path}/{${name}}/deploy` },
    params,
    view: okView,
  })

/** `POST /api/databases/{db}/<action>`, without a route below /api/v1. */
const dashboardActionOf =
  (action: string) =>
  <Named extends z.ZodObject>(path: string, name: string, summary: string, params: Named) =>
    operation({
      summary,
      tag,
      access: 'admin',
      dashboard: { method: 'POST', path: `/api${path}/{${name}}/${action}` },
      params,
      view: okView,
    })

export const retryOf = dashboardActionOf('retry-provision')
export const discardOf = dashboardActionOf('discard')

/** `GET /databases/{db}/connection` */
export const connectionOf = <Shape extends z.ZodRawShape>(
  path: string,
  name: string,
  summary: string,
  params: z.ZodObject<Shape>,
) =>
  operation({
    summary,
    tag,
    access: 'admin',
    v1: { method: 'GET', path: `${path}/{${name}}/connection` },
    dashboard: { method: 'GET', path: `/api${path}/{${name}}/connection` },
    params: params.extend(connectionQuery),
    view: connectionView,
  })
