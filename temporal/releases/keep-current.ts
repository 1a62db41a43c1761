/**
 * Decides which of several releases of svc that run beside each other is current, and so gets the work from Temporal.
 * The reasons are in docs/decisions/0023-one-release-at-a-time-has-the-work.md.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import type { Logger } from '../../cluster/objects/log.ts'
import { controlQueue, functionQueue, webhookQueue } from '../../durable/queues.ts'
import { lastPolls, queuesOf, readReleases, setCurrent, whyUnversioned } from './deployment.ts'
import { takesOver } from './verdict.ts'

/** `newest`: the newest release is current. `this`: the one that started last. `off`: workers have no versions. */
export type ReleaseMode = 'newest' | 'this' | 'off'

/** The mode in SVC_RELEASES. Throws a plain sentence for any other value. */
export function releaseMode(env: Readonly<Record<string, string | undefined>>): ReleaseMode {
  const mode = env['SVC_RELEASES'] ?? 'newest'
  if (mode !== 'newest' && mode !== 'this' && mode !== 'off')
    throw new Error('SVC_RELEASES must be newest, this or off')
  return mode
}

export interface KeepNeeds {
  client: Client
  /** The release of this worker. */
  own: string
  mode: ReleaseMode
  lookMs: number
  /** Time without a poll after which the current release counts as one without workers, and this one takes over. */
  silentMs: number
  log: Logger
  onLook?: ((isCurrent: boolean) => void) | undefined
}

const againMs = 250

/** Whether workers have versions: not if the install switches that off, or the server does not allow it (logged). */
export async function isVersioned({ client, mode, log }: Pick<KeepNeeds, 'client' | 'mode' | 'log'>): Promise<boolean> {
  const why = await whyUnversioned(client)
  if (why !== undefined) {
    if (mode !== 'off')
      log.warn(
        { why },
        'Temporal offers no versioning of workers: two releases that run beside each other both get work',
      )
    return false
  }
  if (mode !== 'off') return true
  const { current, token } = await readReleases(client)
  if (current !== undefined && (await setCurrent(client, undefined, token)))
    log.warn({ before: current }, 'workers without a version are current')
  return false
}

export interface Keeping {
  /** Resolves once it is decided which release is current. */
  decided: Promise<void>
  stop(): Promise<void>
}

/**
 * Makes the own release current if the mode says so, and from then on takes over from a current release that has no
 * workers left. Call it once the workers poll.
 */
export function keepCurrent(needs: KeepNeeds): Keeping {
  const stopping = new AbortController()
  const rest = (ms: number) => sleep(ms, undefined, { signal: stopping.signal, ref: false })
  const attempt = async <R>(work: () => Promise<R>): Promise<R | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (!stopping.signal.aborted)
        needs.log.warn({ error: String(error) }, 'the releases could not be read; trying again')
      return undefined
    }
  }
  const look = createLook(needs)
  const decided = (async () => {
    while ((await attempt(() => arrive(needs))) !== true) await rest(againMs)
  })()
  const ended = (async () => {
    await decided
    for (;;) {
      await rest(needs.lookMs)
      await attempt(look)
    }
  })().catch(() => undefined) // aborted during a rest; `attempt` catches the errors of looks
  return {
    decided: decided.catch(() => undefined), // likewise
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}

/** The first decision, once Temporal knows every task queue that this release polls; true when it is made. */
async function arrive({ client, own, mode, log, onLook }: KeepNeeds): Promise<boolean> {
  const seen = await readReleases(client)
  if (!seen.known.some(({ id }) => id === own)) return false
  if (mode === 'this' ? seen.current === own : !takesOver(own, seen)) {
    onLook?.(seen.current === own)
    if (seen.current !== own)
      log.warn(
        { own, current: seen.current },
        'another release is current: this release gets no work until the other has no workers left',
      )
    return true
  }
  const queues = await queuesOf(client, own)
  const polls = [controlQueue, webhookQueue, functionQueue].every((queue) => queues.has(queue))
  if (!polls || !(await setCurrent(client, own, seen.token))) return false
  log.info({ own, before: seen.current ?? 'workers without a version' }, 'this release is current')
  onLook?.(true)
  return true
}

function createLook({ client, own, log, silentMs, onLook }: KeepNeeds): () => Promise<void> {
  /**
   * The last poll of the current release's workers, and since when this process has seen no later one: only the clock
   * of this process is used.
   */
  let silent: { current: string; polls: string; since: number } | undefined
  return async () => {
    const before = silent
    silent = undefined // if this look fails, silence is counted anew
    const seen = await readReleases(client)
    onLook?.(seen.current === own)
    const { current } = seen
    if (current === own) return
    if (takesOver(own, seen)) {
      if (await setCurrent(client, own, seen.token))
        log.info({ own, before: current ?? 'workers without a version' }, 'this release is current')
      return
    }
    if (current === undefined) return
    const polls = await lastPolls(client, current)
    const isSame = before?.current === current && before.polls === polls
    silent = isSame ? before : { current, polls, since: performance.now() }
    if (performance.now() - silent.since < silentMs) return
    if (await setCurrent(client, own, seen.token))
      log.warn({ own, before: current }, 'no worker of the current release polls for work: this release is current')
  }
}
