/** Fills the stores with what a day of services leaves there, as their collectors would have. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface Filled {
  readonly namespace: string
  /** The first; the others have its name with a number behind it. */
  readonly service: string
  /** Milliseconds since 1970. */
  readonly now: number
  readonly services: number
  /** Of each series, 15 seconds apart, the last one now. */
  readonly points: number
  /** Of each service, spread over the last five hours. */
  readonly lines: number
}

const scrapeMs = 15_000
const loggedMs = 5 * 3_600_000
const visibleWithinMs = 60_000

/** What cAdvisor counts for each copy; `grows`: how much in a second, where the number is a sum. */
const series = [
  { name: 'container_cpu_usage_seconds_total', container: 'app', grows: 0.2 },
  { name: 'container_memory_working_set_bytes', container: 'app' },
  { name: 'container_network_transmit_bytes_total', grows: 10_000 },
  { name: 'container_network_receive_bytes_total', grows: 20_000 },
] as const

const servicesOf = ({ service, services }: Filled): string[] =>
  Array.from({ length: services }, (_, place) => (place === 0 ? service : `${service}-${place}`))

const podOf = (service: string): string => `${service}-6d4cf56db6-x7k2p`

/** Resolves when the store answers with the last of them. */
export async function fillMetrics(store: string, filled: Filled): Promise<void> {
  const { namespace, now, points } = filled
  const timestamps = Array.from({ length: points }, (_, place) => now - (points - 1 - place) * scrapeMs)
  for (const service of servicesOf(filled)) {
    const body = series.map(({ name, ...rest }) =>
      JSON.stringify({
        metric: {
          __name__: name,
          namespace,
          pod: podOf(service),
          ...('container' in rest ? { container: rest.container } : {}),
        },
        values: timestamps.map((_, place) =>
          'grows' in rest ? (place * scrapeMs * rest.grows) / 1000 : 50e6 + (place % 100) * 1e5,
        ),
        timestamps,
      }),
    )
    await post(`${store}/api/v1/import`, body.join('\n'))
  }
  const query = new URLSearchParams({ query: `count(container_memory_working_set_bytes{namespace="${namespace}"})` })
  await until(async () => {
    const answer = (await (await fetch(`${store}/api/v1/query?${query.toString()}`)).json()) as {
      data: { result: { value: [number, string] }[] }
    }
    return Number(answer.data.result[0]?.value[1]) === filled.services
  })
}

/** Resolves when the store has taken them all: it answers with what it took. */
export async function fillLogs(store: string, filled: Filled): Promise<void> {
  const { namespace, now, lines } = filled
  for (const service of servicesOf(filled)) {
    const values = Array.from({ length: lines }, (_, place) => [
      String(BigInt(Math.round(now - loggedMs * (1 - place / lines))) * 1_000_000n + BigInt(place)),
      `level=${place % 50 === 0 ? 'error' : 'info'} msg="order ${place % 100} of customer ${place * 7919} was taken" ms=${place % 250}`,
    ])
    const stream = { namespace, pod: podOf(service), container: 'app' }
    await post(`${store}/loki/api/v1/push`, JSON.stringify({ streams: [{ stream, values }] }))
  }
}

async function post(url: string, body: string): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${(await response.text()).slice(0, 500)}`)
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + visibleWithinMs; !(await isSo()); await sleep(500))
    if (Date.now() > deadline) throw new Error('the metrics store does not show what it was given')
}
