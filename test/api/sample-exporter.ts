/**
 * Plays the kubelets and the ingress of a cluster to a metrics store: samples of the last twenty minutes, then current
 * ones.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A gauge has one value; a counter grows by an amount per second. */
export type Sample = { readonly name: string; readonly labels: Readonly<Record<string, string>> } & (
  { readonly value: number } | { readonly perSecond: number }
)

export interface Exporter {
  /** host:port */
  readonly target: string
  /** The number of samples in all scrapes up to now, by the name of the series. */
  given(): ReadonlyMap<string, number>
  stop(): Promise<void>
}

const everySeconds = 15
const pastSeconds = 20 * 60

/** Each scrape has the samples since the previous one, one per 15 s with its own timestamp. */
export async function startExporter(samples: readonly Sample[]): Promise<Exporter> {
  const begin = Math.floor(Date.now() / 1000 / everySeconds) * everySeconds - pastSeconds
  let written = begin - everySeconds
  const given = new Map<string, number>()
  const server = createServer((_request, response) => {
    const lines: string[] = []
    for (; written + everySeconds <= Date.now() / 1000; written += everySeconds) {
      for (const sample of samples) {
        lines.push(lineOf(sample, written + everySeconds, begin))
        given.set(sample.name, (given.get(sample.name) ?? 0) + 1)
      }
    }
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(`${lines.join('\n')}\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    target: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    given: () => given,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function lineOf(sample: Sample, at: number, begin: number): string {
  const labels = Object.entries(sample.labels).map(([name, value]) => `${name}="${value}"`)
  const value = 'value' in sample ? sample.value : sample.perSecond * (at - begin)
  return `${sample.name}{${labels.join(',')}} ${value} ${at * 1000}`
}
