/**
 * The peer of reads: a Koa without anything else, sending the bytes of a file: `bare-koa-main.ts PORT FILE…`, file N at
 * /N.
 */
import { readFileSync } from 'node:fs'
import Koa from 'koa'

const [port, ...files] = process.argv.slice(2)
const bodies = new Map(files.map((file, place) => [`/${place}`, readFileSync(file)]))
const app = new Koa()
app.use((ctx) => {
  const body = bodies.get(ctx.path)
  if (body === undefined) return
  ctx.type = 'application/json'
  ctx.body = body
})
app.listen(Number(port), '127.0.0.1')
