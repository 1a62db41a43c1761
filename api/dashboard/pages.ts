/**
 * The dashboard at `/`: one page for all of its addresses, and its assets. The page refers to them relative to its own
 * address, so that it works below any path prefix that a proxy removes.
 */
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Context, Middleware } from 'koa'

/** The addresses of the dashboard's pages; any other is 404. */
const pages = [
  /^\/$/,
  /^\/(device|cluster)$/,
  /^\/runs(\/[^/]+)?$/,
  /^\/settings(\/[a-z-]+)?$/,
  /^\/projects\/[^/]+(\/(create|changes|logs|settings))?$/,
  /^\/services\/[^/]+(\/[a-z-]+)?$/,
  /^\/(databases|logical-databases|buckets)\/[^/]+$/,
]
/** Where there are no pages: a missing asset is plain text, also for a browser. */
const assets = '/assets/'
const assetPath = /^\/assets\/([\w-]+(?:\.[\w-]+)+)$/
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** Scripts, styles and requests go to this origin alone; markup sets no style. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** @param folder the output of `dashboard/build.ts`; while it is missing, the next middleware answers */
export function createDashboardPages(folder: string): Middleware {
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return void (await next())
    const asset = assetPath.exec(ctx.path)?.[1]
    if (asset !== undefined) {
      if (!(await answerAsset(ctx, join(folder, 'assets'), asset))) await next()
      return undefined
    }
    const isPage = pages.some((page) => page.test(ctx.path))
    if (!isPage && !asksForPage(ctx)) return void (await next())
    // Read for every request: a build may replace the file while the api runs.
    const html = await readFile(join(folder, 'index.html'), 'utf8').catch(() => undefined)
    if (html === undefined) return void (await next())
    ctx.status = isPage ? 200 : 404
    ctx.type = 'html'
    ctx.set('Cache-Control', 'no-cache')
    ctx.set('Content-Security-Policy', policy)
    ctx.body = html.replaceAll(/(href|src|content)="\.\//g, `$1="${toRoot(ctx.path)}`)
    return undefined
  }
}

/**
 * Whether a browser opens the address: it names HTML, programs that take anything do not. It gets the page that says
 * that nothing is there (docs/reference/conventions.md#a-dashboard-404).
 */
const asksForPage = (ctx: Context): boolean => !ctx.path.startsWith(assets) && /\btext\/html\b/i.test(ctx.get('accept'))

/** `./` for `/device`, `../` for `/projects/x`. */
function toRoot(path: string): string {
  const up = path.split('/').length - 2
  return up === 0 ? './' : '../'.repeat(up)
}

/** Answers a file of the bundle. Its name changes with its content, so it may be cached for ever. */
async function answerAsset(ctx: Context, folder: string, name: string): Promise<boolean> {
  const accepted = ctx.get('accept-encoding')
  for (const [encoding, suffix] of [...encodings, ['', ''] as const]) {
    if (encoding !== '' && !new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepted)) continue
    const file = join(folder, `${name}${suffix}`)
    const found = await stat(file).catch(() => undefined)
    if (found === undefined || !found.isFile()) continue
    ctx.status = 200
    ctx.type = extname(name)
    ctx.compress = false
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable')
    ctx.vary('Accept-Encoding')
    if (encoding !== '') ctx.set('Content-Encoding', encoding)
    ctx.length = found.size
    ctx.body = createReadStream(file)
    return true
  }
  return false
}
