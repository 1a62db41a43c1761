/** The alert rules and the dashboard of deploy/monitoring: what they ask a real store, and when each rule fires. */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { request } from 'undici'
import { parse } from 'yaml'
import type { Caches } from '../../../api/context/caches.ts'
import { createMetrics } from '../../../api/probes/metrics.ts'
import { measureRecords } from '../../../api/probes/record-health.ts'
import { volumeFullPercent } from '../../../contract/limits.ts'
import { createMetricsStore, type MetricsStore } from '../../../one-machine/metrics/store.ts'
import { createWorkerMetrics } from '../../../temporal/metrics.ts'
import { eventually } from '../../cluster/eventually.ts'
import { testServer } from '../../harness/servers.ts'

interface Rule {
  alert: string
  expr: string
  for: string
  labels: { severity: string }
  annotations: { summary: string; description: string }
}
const read = (file: string): string =>
  readFileSync(join(import.meta.dirname, '../../../deploy/monitoring', file), 'utf8')
const { groups } = parse(read('alerts.yaml')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const { panels } = JSON.parse(read('dashboard.json')) as { panels: { targets?: { expr: string }[] }[] }
const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

const minute = 60
const everySeconds = 15
/** Seconds before now: when the samples begin, when the trouble does, and the newest of them. */
const [begin, trouble, end] = [110 * minute, 55 * minute, minute]

/** A series: its value before the trouble, and since. `at` is in seconds since 1970, `since` in seconds. */
interface Played {
  series: string
  quiet: (at: number) => number
  troubled: (at: number, since: number) => number
}
const steps = (series: string, quiet: number, troubled: number): Played => ({
  series,
  quiet: () => quiet,
  troubled: () => troubled,
})
const claim = 'namespace="proj-0a1b2c3d-production",persistentvolumeclaim="data-orders-0"'
const played: Readonly<Record<string, readonly Played[]>> = {
  SvcBackupUnproven: [steps('svc_databases_bad_backups', 0, 1)],
  SvcAttemptStuck: [
    {
      series: 'svc_oldest_attempt_seconds{kind="apps"}',
      quiet: () => 600,
      troubled: (_, since) => 1200 + since,
    },
  ],
  SvcRunsFailing: [steps('svc_runs_failing', 0, 2)],
  SvcWatchLag: [
    { series: 'svc_cache_age_seconds{cache="apps"}', quiet: () => 60, troubled: (_, since) => since },
    steps('svc_cache_age_seconds{cache="databases"}', 5, 5),
  ],
  SvcResyncLate: [
    { series: 'svc_resync_timestamp_seconds', quiet: (at) => at - 600, troubled: (at, since) => at - since },
  ],
  SvcNoWorker: [steps('svc_release_current{release="one"}', 1, 0), steps('svc_release_current{release="two"}', 0, 0)],
  SvcQuotaUsedUp: [steps('svc_records_out_of_quota{kind="apps"}', 0, 3)],
  SvcVolumeAlmostFull: [
    steps(`kubelet_volume_stats_used_bytes{${claim}}`, 84, 85),
    steps(`kubelet_volume_stats_capacity_bytes{${claim}}`, 100, 100),
    steps('kubelet_volume_stats_used_bytes{namespace="other",persistentvolumeclaim="x"}', 99, 99),
    steps('kubelet_volume_stats_capacity_bytes{namespace="other",persistentvolumeclaim="x"}', 100, 100),
  ],
  SvcApiErrors: [
    {
      series: 'svc_api_request_seconds_count{status="500",operation="apps.list"}',
      quiet: () => 7,
      troubled: (_, since) => 7 + since,
    },
    {
      series: 'svc_api_request_seconds_count{status="200",operation="apps.list"}',
      quiet: (at) => at % 1_000_000,
      troubled: (at) => at % 1_000_000,
    },
  ],
  SvcClockAway: [steps('svc_clock_skew_seconds{instance="a"}', -1, -9)],
}

const secondsOf = (text: string): number => Number.parseInt(text, 10) * (text.endsWith('m') ? minute : 1)

describe('what deploy/monitoring asks for', () => {
  it('is what api and worker count', () => {
    const caches = new Proxy({}, { get: () => ({ ageMs: () => 0, list: () => [] }) }) as Caches // no cache has a record
    const api = createMetrics(() => 0)
    api.watchCaches(caches)
    api.watchFeed({ listeners: 0 })
    api.watchClock({ aheadMs: 0 })
    measureRecords(api.registry, caches, () => 0)
    const worker = createWorkerMetrics(() => 0)
    worker.watchClock({ aheadMs: 0 })
    const names = [api, worker].flatMap(({ registry }) => registry.getMetricsAsArray().map(({ name }) => name))
    const asked = [...rules.map(({ expr }) => expr), ...shown].flatMap((expr) => expr.match(/\bsvc_\w+/g) ?? [])
    for (const name of asked) expect(names).to.include(name.replace(/_(bucket|count)$/, ''))
    expect(asked).to.have.length.above(20)
  })

  it('is explained, and is what a database says of its own volume', () => {
    for (const { alert, labels, annotations } of rules) {
      expect(labels.severity, alert).to.match(/^(warning|critical)$/)
      expect([annotations.summary, annotations.description], alert).not.to.include(undefined)
    }
    expect(rules.find(({ alert }) => alert === 'SvcVolumeAlmostFull')?.expr).to.include(`>= ${volumeFullPercent / 100}`)
    expect(rules.map(({ alert }) => alert).sort()).to.deep.equal(Object.keys(played).sort())
  })
})

describe('the rules of deploy/monitoring in a real store', function () {
  this.timeout(120_000)
  let folder: string
  let store: MetricsStore
  let now: number

  before(async () => {
    await testServer('victoria-metrics')
    folder = await mkdtemp(join(tmpdir(), 'svc-rules-'))
    store = await createMetricsStore(folder)
    await store.make([], { progress: () => undefined })
    now = Math.floor(Date.now() / 1000 / everySeconds) * everySeconds
    const lines = Object.values(played).flat().flatMap(linesOf)
    const { statusCode } = await request(`${store.address}/api/v1/import/prometheus`, {
      method: 'POST',
      body: lines.join('\n'),
    })
    expect(statusCode).to.equal(204)
    const isThere = async () => {
      const found = await ask('query_range', { query: 'count({__name__=~"svc_.+|kubelet_.+"})', ...range() })
      return found.length === 1 && found[0]?.values.at(-1)?.[1] === String(Object.values(played).flat().length)
    }
    await eventually('the samples are in', isThere, 60_000)
  })
  after(async () => {
    await store.stop()
    await rm(folder, { recursive: true, force: true })
  })

  function linesOf({ series, quiet, troubled }: Played): string[] {
    const times = Array.from({ length: (begin - end) / everySeconds + 1 }, (_, at) => now - begin + at * everySeconds)
    return times.map((at) => {
      const since = at - (now - trouble)
      return `${series} ${since < 0 ? quiet(at) : troubled(at, since)} ${at * 1000}`
    })
  }
  type Series = { values: [number, string][] }
  const range = () => ({ start: String(now - begin + 10 * minute), end: String(now - end), step: String(minute) })
  async function ask(path: string, fields: Record<string, string>): Promise<Series[]> {
    const query = new URLSearchParams({ ...fields, nocache: '1' }).toString()
    const { body } = await request(`${store.address}/api/v1/${path}?${query}`)
    const answer = (await body.json()) as { status: string; error?: string; data?: { result: Series[] } }
    expect(answer.status, `${fields['query']}: ${answer.error}`).to.equal('success')
    return answer.data?.result ?? []
  }

  for (const { alert, expr, for: lasting } of rules)
    it(`${alert} is quiet before the trouble, and fires once, which lasts`, async () => {
      const found = await ask('query_range', { query: expr, ...range() })
      expect(found.length, 'label sets').to.equal(1)
      const times = (found[0]?.values ?? []).map(([at]) => at)
      const pending = times[0] ?? 0
      expect(pending, 'begins').to.be.at.least(now - trouble)
      // Without a gap from then on, and for longer than the rule waits.
      const newest = times.at(-1) ?? 0
      expect(times, 'goes on').to.have.length((newest - pending) / minute + 1)
      expect(newest, 'to the end').to.be.above(now - end - minute)
      expect(newest - pending, 'fires').to.be.at.least(secondsOf(lasting))
    })

  it('SvcNoWorker fires, too, where no worker is', async () => {
    const none = rules.find(({ alert }) => alert === 'SvcNoWorker')?.expr.replaceAll('svc_release_current', 'svc_none')
    expect(await ask('query_range', { query: none ?? '', ...range() })).to.have.length(1)
  })

  it('the dashboard asks nothing that the store refuses', async () => {
    for (const expr of shown) await ask('query_range', { query: expr.replaceAll('$__rate_interval', '5m'), ...range() })
    expect(shown).to.have.length.above(15)
  })
})
