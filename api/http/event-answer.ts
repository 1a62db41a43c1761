/** Writes an AsyncIterable of events as a server-sent event stream, with a keep-alive ping. */
import { PassThrough } from 'node:stream'
import type { Context } from 'koa'
import { eventPingSeconds, unansweredPingsMax } from '../../contract/limits.ts'
import type { ServerEvent } from '../../contract/operation.ts'

export interface StreamTerms {
  /** Ends the stream: the caller went away or the server stops. */
  readonly signal: AbortSignal
  /** Whether the caller may still have the stream; called with each ping and whenever credentials change. */
  readonly allowed: () => Promise<boolean>
  /** Reports changed credentials until the returned function is called. */
  readonly onCredentials: (listener: () => void) => () => void
}

/**
 * Answers at once and continues in the background until the events end, the caller disconnects or loses its rights, or
 * the server stops. A slow reader pauses the iteration and the pings, so nothing accumulates here.
 */
export function answerEvents(
  ctx: Context,
  events: AsyncIterable<ServerEvent>,
  terms: StreamTerms,
  pingMs = eventPingSeconds * 1000,
): void {
  const out = new PassThrough()
  ctx.status = 200
  ctx.set('Content-Type', 'text/event-stream; charset=utf-8')
  // no-transform keeps a compressing middleware or proxy from holding events back.
  ctx.set('Cache-Control', 'no-cache, no-transform')
  ctx.set('X-Accel-Buffering', 'no')
  ctx.body = out
  // A log may have no lines for long: the head of the answer is sent once every middleware has run.
  setImmediate(() => {
    if (!ctx.res.headersSent && !ctx.res.destroyed) ctx.res.flushHeaders()
  })
  const ended = new AbortController()
  const end = (): void => {
    clearInterval(timer)
    unlisten()
    terms.signal.removeEventListener('abort', end)
    ended.abort()
    if (!out.destroyed) out.end()
  }
  const ask = (): void => {
    terms.allowed().then(
      (allowed) => allowed || end(),
      (error: unknown) => ctx.app.emit('error', error, ctx), // asked again with the next ping
    )
  }
  let moved = false
  out.on('drain', () => (moved = true))
  let silent = 0
  const timer = setInterval(() => {
    silent = out.writableNeedDrain && !moved ? silent + 1 : 0
    moved = false
    // The queue of a client that reads nothing would stay for ever, and an orderly end would wait behind its data.
    if (silent >= unansweredPingsMax) ctx.res.destroy()
    else if (!out.writableNeedDrain) out.write(': ping\n\n')
    ask()
  }, pingMs)
  const unlisten = terms.onCredentials(ask)
  terms.signal.addEventListener('abort', end, { once: true })
  if (terms.signal.aborted) end()
  void pump(events, out, ended.signal)
    .catch((error: unknown) => ctx.app.emit('error', error, ctx))
    .finally(end)
}

async function pump(events: AsyncIterable<ServerEvent>, out: PassThrough, signal: AbortSignal): Promise<void> {
  for await (const event of events) {
    if (signal.aborted || out.destroyed) return
    if (!out.write(textOf(event))) await drained(out, signal)
  }
}

/** Resolves when the buffer has been drained, or when the client is gone. */
function drained(out: PassThrough, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      out.off('drain', done).off('close', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    out.once('drain', done).once('close', done)
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}

const texts = new WeakMap<ServerEvent, string>()

function textOf(event: ServerEvent): string {
  if (event.shared !== true) return formatEvent(event)
  const text = texts.get(event) ?? formatEvent(event)
  texts.set(event, text)
  return text
}

/** `event:`, `id:` and `data:` lines; JSON has no bare line breaks, so the data is one line. */
export function formatEvent({ event, id, data }: ServerEvent): string {
  const lines = [
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    `data: ${JSON.stringify(data ?? {})}`,
  ]
  return `${lines.join('\n')}\n\n`
}
