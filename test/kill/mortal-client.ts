/**
 * A cluster client whose process dies by SIGKILL right before or right after a chosen write takes effect, or is stopped
 * there and goes on later.
 */
import type { ClusterClient } from '../../cluster/client.ts'

export interface Death {
  when: 'before' | 'after'
  /** Number of the write, counted from 1 among those that match. */
  write: number
  /** Prefix of the names of the objects whose writes count; '' counts all. */
  about: string
  /** Counts only writes whose JSON contains this text. */
  holding?: string
  /** Prefixes of names, for when `about` alone is not enough; one match suffices. */
  names?: readonly string[]
  /** The process is stopped instead, as by a machine that stands still, and does the write once it is continued. */
  stops?: boolean
  /** With `stops`: it dies right after that write. */
  dies?: boolean
}

export interface MortalClient {
  client: ClusterClient
  /** Starts to count. */
  arm(death: Death): void
  /** Later writes kill nothing. */
  disarm(): void
  /** Writes counted since then, including unfinished ones. */
  writes(): number
}

/** Reads pass; create, replace, patch, apply and delete are counted in the order in which they begin. */
export function mortalClient(client: ClusterClient, end: (by: 'SIGKILL' | 'SIGSTOP') => void): MortalClient {
  let death: Death | undefined
  let begun = 0

  async function counted<T>(name: string, write: () => Promise<T>, content: object = {}): Promise<T> {
    const armed = death
    const isMeant = armed?.names?.some((beginning) => name.startsWith(beginning)) ?? true
    if (
      armed === undefined ||
      !isMeant ||
      !name.startsWith(armed.about) ||
      !JSON.stringify(content).includes(armed.holding ?? '')
    )
      return await write()
    begun += 1
    const mine = begun === armed.write
    const dies = () => end(armed.stops === true ? 'SIGSTOP' : 'SIGKILL')
    if (mine && armed.when === 'before') dies()
    // A refused write has no effect, but the process can die at its answer as well.
    return await write().finally(() => {
      if (mine && armed.when === 'after') dies()
      if (mine && armed.dies === true) end('SIGKILL')
    })
  }

  return {
    client: {
      ...client,
      create: (type, object, options) =>
        counted(object.metadata.name, () => client.create(type, object, options), object),
      replace: (type, object, options) =>
        counted(object.metadata.name, () => client.replace(type, object, options), object),
      patch: (ref, patch, options) => counted(ref.name, () => client.patch(ref, patch, options), patch),
      apply: (type, object, options) => counted(nameIn(object), () => client.apply(type, object, options), object),
      delete: (ref, options) => counted(ref.name, () => client.delete(ref, options)),
    },
    arm(next) {
      death = next
      begun = 0
    },
    disarm: () => void (death = undefined),
    writes: () => begun,
  }
}

/** Ends or stops the process without any handler: what is written stays, nothing more is written until it goes on. */
export function endAtOnce(by: 'SIGKILL' | 'SIGSTOP'): void {
  process.kill(process.pid, by)
  // The signal arrives before the next turn of the event loop, and only a stopped process goes on.
  for (const until = performance.now() + arrivesMs; by === 'SIGKILL' || performance.now() < until;);
}

const arrivesMs = 100

function nameIn(object: object): string {
  const { metadata } = object as { metadata?: { name?: string } } // the argument of apply is a Kubernetes object
  return metadata?.name ?? ''
}
