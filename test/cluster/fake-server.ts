/** A small HTTP server with list and watch of ConfigMaps that misbehaves on command, which a real API server cannot. */
import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KubeObject } from '../../cluster/objects/object.ts'

export type Item = KubeObject & { data?: Record<string, string> }
type Event = { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: Item }

export interface FakeServer {
  kubeconfig: string
  url: string
  /** `GET list`, `GET watch <version>`, `PATCH`, … in order. */
  requests: string[]
  /** Connections accepted so far. */
  connections(): number
  openWatches(): number
  set(name: string, data?: Record<string, string>, labels?: Record<string, string>): Item
  remove(name: string): void
  version(): string
  /** Drops events, so that earlier watches get 410. */
  compact(as: 'status' | 'event'): void
  /** Answers the next n requests with this status. */
  refuse(n: number, status: number, headers?: Record<string, string>): void
  bookmark(): void
  /** Breaks the connections of all watches. */
  dropWatches(): void
  /** Ends all watches in an orderly way. */
  endWatches(): void
  /** From now on watches get no byte (`true`), or all missed events at once (`false`). */
  mute(muted: boolean): void
  /** Refuses requests without this token. */
  requireToken(token: string): void
  /** Starts again with an empty store whose versions begin at 1. */
  wipe(): void
  stop(): Promise<void>
}

interface Watcher {
  res: ServerResponse
  next: number
}

const status = (code: number, reason: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  message: `${reason} by the fake server`,
})

export async function startFakeServer(): Promise<FakeServer> {
  const objects = new Map<string, Item>()
  const watchers = new Set<Watcher>()
  const requests: string[] = []
  let events: { version: number; event: Event }[] = []
  let version = 100
  let oldest = 0
  let expiredAs: 'status' | 'event' = 'status'
  let refusals: { status: number; headers: Record<string, string> }[] = []
  let accepted = 0
  let muted = false
  let token: string | undefined

  const json = (res: ServerResponse, code: number, body: object, headers = {}) => {
    res.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

  function feed(watcher: Watcher): void {
    if (muted) return
    for (const { version: at, event } of events) {
      if (at <= watcher.next) continue
      watcher.res.write(`${JSON.stringify(event)}\n`)
      watcher.next = at
    }
  }

  function record(type: Event['type'], item: Item): Item {
    version += 1
    const object = { ...item, metadata: { ...item.metadata, resourceVersion: String(version) } }
    events.push({ version, event: { type, object } })
    for (const watcher of watchers) feed(watcher)
    return object
  }

  function watch(res: ServerResponse, from: number): void {
    if (from < oldest && expiredAs === 'status') return json(res, 410, status(410, 'Expired'))
    res.writeHead(200, { 'content-type': 'application/json' })
    res.flushHeaders()
    if (from < oldest) return void res.end(`${JSON.stringify({ type: 'ERROR', object: status(410, 'Expired') })}\n`)
    const watcher = { res, next: from }
    watchers.add(watcher)
    res.on('close', () => watchers.delete(watcher))
    feed(watcher)
  }

  function list(res: ServerResponse, params: URLSearchParams): void {
    const all = [...objects.values()]
    const start = Number(params.get('continue') ?? 0)
    const end = params.has('limit') ? start + Number(params.get('limit')) : all.length
    const metadata = { resourceVersion: String(version), ...(end < all.length ? { continue: String(end) } : {}) }
    json(res, 200, {
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata,
      items: all.slice(start, end).map(({ kind: _, apiVersion: __, ...item }) => item),
    })
  }

  const server = createServer((req, res) => {
    const params = new URL(req.url ?? '/', 'http://fake').searchParams
    const isWatch = params.get('watch') === 'true'
    requests.push(
      req.method !== 'GET' ? String(req.method) : isWatch ? `GET watch ${params.get('resourceVersion')}` : 'GET list',
    )
    req.resume()
    const refusal = refusals.shift()
    if (refusal !== undefined) return json(res, refusal.status, status(refusal.status, 'Refused'), refusal.headers)
    if (token !== undefined && req.headers.authorization !== `Bearer ${token}`)
      return json(res, 401, status(401, 'Unauthorized'))
    if (isWatch) return watch(res, Number(params.get('resourceVersion')))
    if (req.method === 'GET') return list(res, params)
    return json(
      res,
      200,
      record('MODIFIED', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'written', namespace: 'default' } }),
    )
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    accepted += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url,
    requests,
    kubeconfig: writeKubeconfig(url),
    connections: () => accepted,
    openWatches: () => watchers.size,
    version: () => String(version),
    set(name, data = {}, labels = {}) {
      const held = objects.get(name)
      const uid = held?.metadata.uid ?? `uid-${name}-${version}`
      const object = record(held === undefined ? 'ADDED' : 'MODIFIED', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: 'default', uid, labels },
        data,
      })
      objects.set(name, object)
      return object
    },
    remove(name) {
      const held = objects.get(name)
      objects.delete(name)
      if (held !== undefined) record('DELETED', held)
    },
    compact(as) {
      expiredAs = as
      oldest = version
      events = []
    },
    refuse(n, code, headers = {}) {
      refusals = Array.from({ length: n }, () => ({ status: code, headers }))
    },
    bookmark() {
      version += 1
      for (const watcher of watchers) {
        watcher.next = version
        watcher.res.write(
          `${JSON.stringify({ type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: String(version) } } })}\n`,
        )
      }
    },
    dropWatches() {
      for (const { res } of watchers) res.socket?.resetAndDestroy()
    },
    endWatches() {
      for (const { res } of watchers) res.end()
    },
    mute(now) {
      muted = now
      for (const watcher of watchers) feed(watcher)
    },
    requireToken(needed) {
      token = needed
    },
    wipe() {
      objects.clear()
      events = []
      version = 1
      oldest = 0
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

let kubeconfigs: string | undefined

/** A folder for all kubeconfigs of this process, which goes with it. */
function folderOfKubeconfigs(): string {
  if (kubeconfigs !== undefined) return kubeconfigs
  const folder = mkdtempSync(join(tmpdir(), 'svc-fake-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return (kubeconfigs = folder)
}

/** Returns the path of a kubeconfig for the server; `user` has its credentials. */
export function writeKubeconfig(
  url: string,
  user: object = { token: 'first' },
  file = join(folderOfKubeconfigs(), `${randomUUID()}.yaml`),
): string {
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'fake',
      clusters: [{ name: 'fake', cluster: { server: url } }],
      users: [{ name: 'fake', user }],
      contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'fake' } }],
    }),
  )
  return file
}
