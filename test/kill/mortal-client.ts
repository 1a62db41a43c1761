/** A cluster client whose process dies by SIGKILL right before, or right after, a chosen write has taken effect. */
import type { ClusterClient } from '../../cluster/client.ts'

export interface Death {
  when: 'before' | 'after'
  /** Which write it is, counted from 1 among those that are about it. */
  write: number
  /** Beginning of the names of the objects that count; '' counts all. */
  about: string
  /** Only writes whose JSON has this text count. */
  holding?: string
  /** Beginnings of names of which any will do, where `about` alone does not tell. */
  names?: readonly string[]
}

export interface MortalClient {
  client: ClusterClient
  /** Counts from now on. */
  arm(death: Death): void
  /** What follows lives on. */
  disarm(): void
  /** Writes that counted since then, begun ones included. */
  writes(): number
}

/** Reads pass; create, replace, patch, apply and delete are counted in the order they are begun. */
export function mortalClient(client: ClusterClient, die: () => never): MortalClient {
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
    if (mine && armed.when === 'before') die()
    // A refused write has no effect, but its answer is a moment like any other.
    return await write().finally(() => {
      if (mine) die()
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

/** No handler of this process gets to run: what was written is written, what was not is not. */
export function dieAtOnce(): never {
  process.kill(process.pid, 'SIGKILL')
  for (;;); // the signal arrives before the next turn of the event loop
}

function nameIn(object: object): string {
  const { metadata } = object as { metadata?: { name?: string } } // what is applied is a Kubernetes object
  return metadata?.name ?? ''
}
