/** Writes an AsyncIterable of events as a server-sent event stream, with a keep-alive ping. */
import { PassThrough } from 'node:stream'
import { once } from 'node:events'
import type { Context } from 'koa'
import { eventPingSeconds } from '../contract/limits.ts'
import type { ServerEvent } from '../contract/operation.ts'

/**
 * Answers at once and goes on in the background until the events end, the caller goes away or the server stops.
 * A caller who reads slowly stops the iteration, so nothing piles up here.
 */
export function answerEvents(ctx: Context, events: AsyncIterable<ServerEvent>, signal: AbortSignal): void {
  const out = new PassThrough()
  ctx.status = 200
  ctx.set('Content-Type', 'text/event-stream; charset=utf-8')
  // no-transform keeps a compressing middleware or proxy from holding events back.
  ctx.set('Cache-Control', 'no-cache, no-transform')
  ctx.set('X-Accel-Buffering', 'no')
  ctx.body = out
  const ping = setInterval(() => out.write(': ping\n\n'), eventPingSeconds * 1000)
  const end = (): void => {
    clearInterval(ping)
    if (!out.destroyed) out.end()
  }
  signal.addEventListener('abort', end, { once: true })
  void pump(events, out, signal)
    .catch((error: unknown) => ctx.app.emit('error', error, ctx))
    .finally(end)
}

async function pump(events: AsyncIterable<ServerEvent>, out: PassThrough, signal: AbortSignal): Promise<void> {
  for await (const event of events) {
    if (signal.aborted || out.destroyed) return
    if (!out.write(formatEvent(event))) await once(out, 'drain', { signal }).catch(() => undefined)
  }
}

/** `event:`, `id:` and `data:` lines; JSON has no bare line breaks, so the data is one line. */
export function formatEvent({ event, id, data }: ServerEvent): string {
  const lines = [...(event === undefined ? [] : [`event: ${event}`]), ...(id === undefined ? [] : [`id: ${id}`]), `data: ${JSON.stringify(data ?? {})}`]
  return `${lines.join('\n')}\n\n`
}
