/** `GET /` without a built dashboard: plain text for a person who opens the address in a browser. */
import type { Middleware } from 'koa'

const text = (origin: string): string => `svc: a deployment platform on Kubernetes

sign in     npx svc login --url ${origin} --username admin
API         ${origin}/api/v1 (described by /api/v1/openapi.json)
reference   ${origin}/docs
health      ${origin}/healthz
`

export const frontPage: Middleware = (ctx, next) => {
  if (ctx.path !== '/' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
  ctx.status = 200
  ctx.type = 'text/plain'
  ctx.body = text(`${ctx.protocol}://${ctx.host}`)
  return undefined
}
