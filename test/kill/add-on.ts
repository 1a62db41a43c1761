/**
 * Plays KEDA and the interceptor of its HTTP add-on by the objects that svc makes for them, and the ingress in front:
 * copies that nothing asks for are taken away as soon as the scaler lets them, and a request is held until one is
 * ready.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { V1Deployment, V1Ingress } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { sleepTypes } from '../../kinds/meta/resource-types.ts'

type Scaler = KubeObject & { spec: { minReplicaCount: number } }
type Route = KubeObject & { spec: { rules: { hosts: string[] }[]; target: { service: string } } }
type Live = Sent<V1Deployment>

export interface AddOn {
  /** Environment of the workers and apis. */
  readonly env: Readonly<Record<string, string>>
  /** A request from outside; resolves with why it was not answered, '' when a copy has answered it. */
  request(host: string, namespace: string): Promise<string>
  stop(): Promise<void>
}

const turnMs = 500
/** Far shorter than a service may ask for, so that it sleeps between any two of its requests. */
const idleMs = 4_000
/** As long as the route of the interceptor says. */
const readyWithinMs = 180_000
const unknownHost = 'the interceptor does not know the host'

/** @param copies where a function of the simulated nodes is: the port of the server that stands for its copies */
export async function startAddOn(client: ClusterClient, copies: number): Promise<AddOn> {
  const waiting = new Map<string, number>()
  const lastAsked = new Map<string, number>()
  let isStopped = false

  const routes = async (): Promise<Route[]> => (await client.list<Route>(sleepTypes.route)).items
  const routeOf = async (host: string): Promise<Route | undefined> =>
    (await routes()).find((route) => hostsOf(route).includes(host))
  const deploymentOf = (namespace: string, name: string): Promise<Live | undefined> =>
    client.get<Live>({ type: coreTypes.deployment, namespace, name })

  /** One look of KEDA at everything that it scales. */
  async function scaleAll(): Promise<void> {
    const [{ items: scalers }, known] = await Promise.all([client.list<Scaler>(sleepTypes.scaler), routes()])
    for (const { metadata, spec } of scalers) {
      const { name, namespace = '' } = metadata
      const live = await deploymentOf(namespace, name)
      if (live === undefined || live.metadata.deletionTimestamp !== undefined) continue
      const hosts = known.filter((route) => isOf(route, namespace, name)).flatMap(hostsOf)
      const isAsked = hosts.some((host) => (waiting.get(host) ?? 0) > 0)
      const isIdle = hosts.every((host) => Date.now() - (lastAsked.get(host) ?? 0) > idleMs)
      const now = live.spec?.replicas ?? 1
      const least = Math.max(spec.minReplicaCount, isAsked ? 1 : 0)
      const wanted = now < least ? least : now > 0 && least === 0 && isIdle ? 0 : now
      if (wanted === now) continue
      const ref = { type: coreTypes.deployment, namespace, name }
      await client.patch(ref, { spec: { replicas: wanted } }, { subresource: 'scale' })
    }
  }
  const scaling = (async () => {
    for (; !isStopped; await sleep(turnMs)) await scaleAll().catch(() => undefined) // the cluster is down: next turn
  })()

  /** Holds a request until a copy is ready, as the interceptor does. */
  async function hold(host: string): Promise<string> {
    waiting.set(host, (waiting.get(host) ?? 0) + 1)
    try {
      for (const deadline = Date.now() + readyWithinMs; Date.now() < deadline; await sleep(turnMs)) {
        const route = await patient(() => routeOf(host))
        if (route === undefined) return unknownHost
        const { namespace = '' } = route.metadata
        if (isReady(await patient(() => deploymentOf(namespace, route.spec.target.service)))) return ''
      }
      return 'the interceptor had no ready copy in time'
    } finally {
      waiting.set(host, (waiting.get(host) ?? 1) - 1)
      lastAsked.set(host, Date.now())
    }
  }

  /** One request as the ingress sends it on; what it meets between two writes of svc counts if it meets it twice. */
  async function request(host: string, namespace: string): Promise<string> {
    for (let before = ''; ; await sleep(100)) {
      const why = await arrive(host, namespace)
      if (why === '' || why === before) return why
      before = why
    }
  }

  async function arrive(host: string, namespace: string): Promise<string> {
    const ingress = await patient(() => ingressOf(client, host, namespace))
    const backend = ingress?.spec?.rules?.find((rule) => rule.host === host)?.http?.paths[0]?.backend.service?.name
    if (backend === undefined) return 'the ingress does not know the host'
    if (backend !== ingress?.metadata.name) return await hold(host)
    const live = await patient(() => deploymentOf(namespace, backend))
    const state = `${live?.status?.readyReplicas ?? 0} of ${live?.spec?.replicas ?? 0}`
    return isReady(live) ? '' : `the ingress leads to copies of which none is ready: ${state}`
  }

  /** A call of svc to a function that may sleep: passed on once a copy is ready. */
  async function pass(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host = '', ...headers } = asked.headers
    const body = await text(asked)
    const held = await hold(host.replace(/:\d+$/, ''))
    if (response.destroyed) return // the caller has gone: the function gets nothing
    if (held !== '') {
      response.writeHead(held === unknownHost ? 404 : 502).end(held)
      return
    }
    const passed = Object.entries(headers).filter(([name]) => name.startsWith('ce-') || name === 'content-type')
    const answer = await fetch(`http://127.0.0.1:${copies}${asked.url ?? '/'}`, {
      method: asked.method ?? 'POST',
      headers: Object.fromEntries(passed.map(([name, value]) => [name, String(value)])),
      body,
    })
    response.writeHead(answer.status).end(await answer.text())
  }

  const server = createServer((asked, response) => {
    pass(asked, response).catch(() => response.destroy()) // a caller that was killed leaves half a request
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server has one
  return {
    env: { SVC_SLEEP_INTERCEPTOR: `127.0.0.1:${port}` },
    request,
    async stop() {
      isStopped = true
      server.closeAllConnections()
      server.close()
      await scaling
    },
  }
}

const hostsOf = ({ spec }: Route): string[] => spec.rules.flatMap(({ hosts }) => hosts)
const isOf = ({ metadata }: Route, namespace: string, name: string): boolean =>
  metadata.namespace === namespace && metadata.name === name
const isReady = (live: Live | undefined): boolean => (live?.status?.readyReplicas ?? 0) > 0

async function ingressOf(client: ClusterClient, host: string, namespace: string): Promise<Sent<V1Ingress> | undefined> {
  const { items } = await client.list<Sent<V1Ingress>>(coreTypes.ingress, { namespace })
  return items.find(({ spec }) => spec?.rules?.some((rule) => rule.host === host))
}

/** What the interceptor and the ingress know does not go with the cluster: they have it from before. */
async function patient<R>(read: () => Promise<R>): Promise<R> {
  for (const deadline = Date.now() + readyWithinMs; ; await sleep(turnMs)) {
    try {
      return await read()
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}
