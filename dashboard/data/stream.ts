/** The change stream: one connection for a page, which says what is stale. */
import { createParser } from 'eventsource-parser'
import { openStream, statusOf } from './api.ts'
import { noteReported } from './reported.ts'
import { invalidateAll, invalidateFor, type Change } from './stale.ts'
import { setStreamState, wasReadUnfollowed } from './stream-state.ts'

/** A keep-alive comes every 25 s; without one for this long the connection is dead, whatever it looks like. */
const silentMs = 60_000
const backoffMs = [500, 1000, 2000, 5000, 10_000, 15_000]

/** A browser has six connections to a host: a hidden page closes its own after a while. */
const hiddenMs = 60_000

/** Follows the stream until the returned function is called. */
export function followChanges(): () => void {
  let end: AbortController | undefined
  let rest: ReturnType<typeof setTimeout> | undefined
  let restedAt: number | undefined
  const start = () => {
    end = new AbortController()
    void follow(end.signal, restedAt)
  }
  const onVisibility = () => {
    clearTimeout(rest)
    if (document.visibilityState === 'visible') {
      if (end === undefined) start()
      return
    }
    rest = setTimeout(() => {
      end?.abort()
      end = undefined
      restedAt = Date.now()
    }, hiddenMs)
  }
  start()
  document.addEventListener('visibilitychange', onVisibility)
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    clearTimeout(rest)
    end?.abort()
    setStreamState({ phase: 'connecting' })
  }
}

/** @param since since when the stream has been lost, if it already is */
async function follow(end: AbortSignal, since: number | undefined): Promise<void> {
  let lostAt = since
  for (let tries = 0; !end.aborted;) {
    try {
      await readOnce(end, () => {
        setStreamState({ phase: 'open' })
        // The stream does not repeat what happened meanwhile.
        if (wasReadUnfollowed() || lostAt !== undefined) invalidateAll()
        lostAt = undefined
        tries = 0
      })
    } catch (error) {
      // The session is over: the sign-in dialog is shown, and the page follows again after it.
      if (statusOf(error) === 401) return
    }
    if (end.aborted) return
    lostAt ??= Date.now()
    tries += 1
    setStreamState({ phase: 'lost', since: lostAt, tries })
    await pause(tries, end)
  }
}

async function readOnce(end: AbortSignal, onOpen: () => void): Promise<void> {
  const cut = new AbortController()
  const signal = AbortSignal.any([end, cut.signal])
  let watchdog = setTimeout(() => cut.abort(), silentMs)
  try {
    const body = await openStream('platform.events', { parts: true }, signal)
    const parser = createParser({
      onEvent({ event, data }) {
        if (event === 'connected') onOpen()
        else if (event === 'change') {
          const change = JSON.parse(data) as Change // docs/reference/events.md
          noteReported(change)
          invalidateFor(change)
        }
      },
    })
    const decoder = new TextDecoder()
    for await (const chunk of body) {
      clearTimeout(watchdog)
      watchdog = setTimeout(() => cut.abort(), silentMs)
      parser.feed(decoder.decode(chunk, { stream: true }))
    }
  } finally {
    clearTimeout(watchdog)
    cut.abort()
  }
}

/** The next try comes at once when the browser says that the network is back or the page is shown again. */
async function pause(tries: number, end: AbortSignal): Promise<void> {
  const base = backoffMs[Math.min(tries, backoffMs.length) - 1] ?? 0
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      removeEventListener('online', done)
      document.removeEventListener('visibilitychange', whenShown)
      resolve()
    }
    const whenShown = () => {
      if (document.visibilityState === 'visible') done()
    }
    const timer = setTimeout(done, base * (0.8 + 0.4 * Math.random()))
    addEventListener('online', done)
    document.addEventListener('visibilitychange', whenShown)
    end.addEventListener('abort', done, { once: true })
  })
}
