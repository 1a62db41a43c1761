/**
 * `GET /docs`: the reference of the versioned API for people, made from its OpenAPI document, without requests to other
 * servers.
 */
import { createReadStream } from 'node:fs'
import type { Middleware } from 'koa'

/** The files of the page, all served from here: the library is an npm package. */
const files: ReadonlyMap<string, { readonly at: URL; readonly type: string }> = new Map([
  ['/docs/swagger-ui.css', { at: new URL(import.meta.resolve('swagger-ui-dist/swagger-ui.css')), type: 'css' }],
  [
    '/docs/swagger-ui-bundle.js',
    { at: new URL(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')), type: 'js' },
  ],
  ['/docs/page.css', { at: new URL('page.css', import.meta.url), type: 'css' }],
  ['/docs/page.mjs', { at: new URL('page.mjs', import.meta.url), type: 'js' }],
])

/** The browser reads the document from `/api/v1/openapi.json`, whose access rule applies as usual. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<noscript>The reference needs JavaScript; the document it is made from is at /api/v1/openapi.json.</noscript>
<form id="sign-in" hidden>
<h1>svc API</h1>
<p>The reference is for those who are signed in.</p>
<label>User name <input name="username" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Sign in</button>
<p id="refusal" role="alert"></p>
</form>
<main id="reference"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/page.mjs"></script>
</body>
</html>
`

const keepSeconds = 3600

/** Every caller may load the page; it has no data of its own. */
export const reference: Middleware = (ctx, next) => {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next()
  const file = files.get(ctx.path)
  if (file === undefined && ctx.path !== '/docs') return next()
  ctx.status = 200
  ctx.type = file?.type ?? 'html'
  if (file !== undefined) ctx.set('Cache-Control', `public, max-age=${keepSeconds}`)
  ctx.body = file === undefined ? page : createReadStream(file.at)
  return undefined
}
