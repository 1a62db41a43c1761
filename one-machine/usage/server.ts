/**
 * Serves the resource metrics API to the API server of one node: what metrics-server does, for
 * HorizontalPodAutoscalers and `kubectl top`, without a program of 70 MB that takes three minutes to build.
 */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import { discovery, failure, group, listOf, nodeMetrics, podMetrics, root, type Named } from './answers.ts'
import type { UseReader } from './readings.ts'
import { defined } from '../../contract/defined.ts'

export interface UsageSource {
  readonly use: Pick<UseReader, 'ofPod' | 'ofNode'>
  readonly node: Named
  /** Why there are no numbers now, in one sentence. */
  trouble(): string | undefined
  /** The pods of a namespace (of all without one) that Kubernetes' selectors choose. */
  pods(which: { namespace?: string; name?: string; labelSelector?: string }): Promise<readonly Named[]>
}

export interface UsageServerOptions {
  readonly source: UsageSource
  readonly host: string
  /** PEM; callers need a certificate of this authority with the name `caller`. */
  readonly tls: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer }
  readonly caller: string
}

interface Answer {
  readonly code: number
  readonly body: object
}

/** Resolves when it listens, on a port of the system's choice. */
export async function startUsageServer(
  options: UsageServerOptions,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const { source, host, tls, caller } = options
  const server = createServer({ ...tls, requestCert: true, rejectUnauthorized: true }, (request, response) => {
    const peer: Partial<PeerCertificate> = (request.socket as TLSSocket).getPeerCertificate() // of an HTTPS server
    const answering =
      peer.subject?.CN === caller
        ? answer(source, request.method ?? '', new URL(request.url ?? '/', 'https://usage'))
        : Promise.resolve(refusal(403, 'Forbidden', 'only the API server may ask'))
    void answering
      .catch((error: unknown) => refusal(500, 'InternalError', error instanceof Error ? error.message : String(error)))
      .then(({ code, body }) => {
        response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port, // a TCP server has one
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const refusal = (code: number, reason: string, message: string): Answer => ({
  code,
  body: failure(code, reason, message),
})

/** `/nodes`, `/nodes/NAME`, `/pods`, `/namespaces/NAMESPACE/pods` and `/namespaces/NAMESPACE/pods/NAME`. */
const path = /^\/(?:namespaces\/([^/]+)\/)?(nodes|pods)(?:\/([^/]+))?$/

async function answer(source: UsageSource, method: string, url: URL): Promise<Answer> {
  const known = discovery[url.pathname]
  if (known !== undefined) return { code: 200, body: known }
  if (method !== 'GET') return refusal(405, 'MethodNotAllowed', 'the use of pods and nodes is only read')
  const [whole, namespace, plural, name] = url.pathname.startsWith(`${root}/`)
    ? (path.exec(url.pathname.slice(root.length)) ?? [])
    : []
  if (whole === undefined) return refusal(404, 'NotFound', 'there is nothing at this path')
  const trouble = source.trouble()
  if (trouble !== undefined) return refusal(503, 'ServiceUnavailable', trouble)
  const labelSelector = url.searchParams.get('labelSelector') ?? ''
  const items = plural === 'nodes' ? nodes(source, name) : await pods(source, { namespace, name, labelSelector })
  if (name === undefined) return { code: 200, body: listOf(plural === 'nodes' ? 'NodeMetrics' : 'PodMetrics', items) }
  const [only] = items
  return only === undefined
    ? refusal(404, 'NotFound', `${plural}.${group} "${name}" not found`)
    : { code: 200, body: only }
}

function nodes({ use, node }: UsageSource, name: string | undefined): object[] {
  const ofNode = use.ofNode()
  return ofNode === undefined || (name ?? node.name) !== node.name ? [] : [nodeMetrics(node, ofNode)]
}

async function pods(
  { use, pods: find }: UsageSource,
  {
    namespace,
    name,
    labelSelector,
  }: { namespace: string | undefined; name: string | undefined; labelSelector: string },
): Promise<object[]> {
  const found = await find({
    ...defined({ namespace, name }),
    ...(labelSelector === '' ? {} : { labelSelector }),
  })
  return found
    .map((pod) => podMetrics(pod, use.ofPod(pod.namespace ?? '', pod.name)))
    .filter((metrics) => metrics !== undefined)
}
