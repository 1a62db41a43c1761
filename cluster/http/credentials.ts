/**
 * The address of the API server and the credentials for it: kubeconfig or service account, re-read as they rotate, with
 * connections that are kept.
 */
import { createHash } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { loadConfig, readConfig, type CredentialSource, type Reading, type TlsOptions } from './kubeconfig.ts'
import { callConnections, openPool } from './pool.ts'

/** What one request needs. */
export interface Access {
  origin: string
  /** Path in front of the path of every request; usually ''. */
  prefix: string
  headers: Record<string, string>
  /** For calls that end soon: a few connections. */
  calls: Dispatcher
  /** For watches and followed logs, which each hold a connection. */
  streams: Dispatcher
  /** For WebSockets, each of which opens its own connection. */
  tls: TlsOptions
  proxyAgent: Reading['proxyAgent']
}

export interface Credentials {
  access(): Promise<Access>
  /** Reports that `used` did not work: the configuration is read anew for the next request. */
  renew(used: Access): void
  close(): Promise<void>
}

/** Token files and CA files are read again after this time; the kubelet rotates them well before they expire. */
const keptMs = 10_000
/** The least time between two reads, however many requests fail. */
const reloadGapMs = 1_000

/** Reads the configuration at once, so that a wrong path or context fails at the start with a clear sentence. */
export function openCredentials(source: CredentialSource): Credentials {
  let config = loadConfig(source)
  let loadedAt = performance.now()
  let stale = false
  let current: { access: Promise<Access>; until: number; value?: Access } | undefined
  let pools: { fingerprint: string; calls: Dispatcher; streams: Dispatcher } | undefined
  const opened = new Set<Dispatcher>()

  function poolsFor(reading: Reading) {
    const fingerprint = fingerprintOf(reading)
    if (pools?.fingerprint === fingerprint) return pools
    // close() waits for requests on the old pools; it rejects only for pools that were closed before.
    for (const old of pools ? [pools.calls, pools.streams] : [])
      void old
        .close()
        .catch(() => undefined)
        .finally(() => opened.delete(old))
    pools = { fingerprint, calls: openPool(reading, callConnections), streams: openPool(reading, null) }
    opened.add(pools.calls).add(pools.streams)
    return pools
  }

  async function build(): Promise<Access> {
    if (stale) {
      config = loadConfig(source)
      loadedAt = performance.now()
      stale = false
    }
    const reading = await readConfig(config)
    const { calls, streams } = poolsFor(reading)
    const url = new URL(reading.server)
    const { headers, tls, proxyAgent } = reading
    return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, ''), headers, calls, streams, tls, proxyAgent }
  }

  return {
    async access() {
      if (current !== undefined && current.until > performance.now()) return current.access
      const mine: typeof current = { access: build(), until: performance.now() + keptMs }
      current = mine
      try {
        mine.value = await mine.access
      } catch (error) {
        if (current === mine) current = undefined
        throw error
      }
      return mine.value
    },
    renew(used) {
      if (current?.value !== used || performance.now() - loadedAt < reloadGapMs) return
      stale = true
      current = undefined
    },
    async close() {
      await Promise.all([...opened].map((pool) => pool.destroy()))
      opened.clear()
    },
  }
}

/** The pools are kept while server, proxy and TLS options stay the same; a new token needs no new connections. */
function fingerprintOf({ server, proxy, tls }: Reading): string {
  return createHash('sha256')
    .update(JSON.stringify([server, proxy, tls]))
    .digest('hex')
}
