/** Serves the metrics of a process to scrapers: `GET /metrics` on a separate port. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import { portMax } from '../../contract/limits.ts'

export interface MetricsSettings {
  readonly port: number
  readonly host: string
}

export interface MetricsServer {
  readonly port: number
  close(): Promise<void>
}

/** SVC_METRICS_PORT (none without it; 0 picks a free one) and SVC_METRICS_HOST (127.0.0.1). Throws a plain sentence. */
export function metricsSettings(env: Readonly<Record<string, string | undefined>>): MetricsSettings | undefined {
  const given = env['SVC_METRICS_PORT'] ?? ''
  if (given === '') return undefined
  const port = Number(given)
  if (!Number.isInteger(port) || port < 0 || port > portMax) throw new Error('SVC_METRICS_PORT must be a port number')
  return { port, host: env['SVC_METRICS_HOST'] ?? '127.0.0.1' }
}

/** Rejects when the port is taken. */
export async function serveRegistry(registry: Registry, { port, host }: MetricsSettings): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n')
      return
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      (error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port, // a TCP server has one
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
