/** What Loki and the collector of one machine are set to: the labels that the API asks by, loopback, nothing lost. */
import { expect } from 'chai'
import { durationSeconds } from '../../../contract/fields/logs.ts'
import { logSinceSeconds } from '../../../contract/limits.ts'
import { collectorFlags, collectorSettings } from '../../../one-machine/logs/collector-settings.ts'
import { storeSettings, streamLabels } from '../../../one-machine/logs/store-settings.ts'
import { chooseLogStore, logSettings } from '../../../one-machine/start/logs.ts'
import type { ClusterKind } from '../../../one-machine/start/options.ts'
import { selectorOf } from '../../../outside/logs/logql.ts'
import { temporaryFolder, writeScript } from '../temporary.ts'

interface Operator {
  readonly type: string
  readonly from?: string
  readonly to?: string
  readonly fields?: readonly string[]
}

interface Collector {
  readonly receivers: { readonly file_log: { readonly include: string[]; readonly operators: readonly Operator[] } }
  readonly exporters: { readonly otlp_http: { readonly endpoint: string } }
}

const options = { podLogs: '/data/pods', store: 'http://127.0.0.1:3100' }
// The shape that the function writes.
const collector = () => JSON.parse(collectorSettings(options)) as Collector
const store = storeSettings({ http: 3100, grpc: 3101 })

describe('the settings of the log store of one machine', () => {
  it('label lines by what the queries of the API select, and by nothing else', () => {
    const asked = selectorOf({ namespaces: ['proj-0a1b2c3d-production'] }).match(/(?<=[{,])\w+(?==~)/g)
    expect(streamLabels).to.include.members(asked ?? ['none'])
    const { attributes_config: kept } = store.limits_config.otlp_config.resource_attributes
    expect(kept).to.deep.equal([
      { action: 'index_label', attributes: ['namespace', 'pod', 'container'] },
      { action: 'drop', regex: '.*' },
    ])
    const made = collector().receivers.file_log.operators.flatMap(({ to }) => to ?? [])
    expect(made).to.deep.equal(streamLabels.map((label) => `resource.${label}`))
  })

  it('read the files of the pods of projects alone, and send to the store', () => {
    expect(collector().receivers.file_log.include).to.deep.equal([
      '/data/pods/proj-*/*/*.log',
      '/data/pods/proj-*/*/*.log.????????-??????',
    ])
    expect(collector().exporters.otlp_http.endpoint).to.equal('http://127.0.0.1:3100/otlp')
  })

  it('count a line as read when the store has it: no queue, no batches, no end of tries', () => {
    expect(collectorFlags).to.deep.equal(['--feature-gates=stanza.synchronousLogEmitter'])
    expect(collector().exporters.otlp_http).to.deep.include({
      sending_queue: { enabled: false },
      retry_on_failure: { enabled: true, initial_interval: '500ms', max_interval: '2s', max_elapsed_time: '0s' },
    })
  })

  it('keep lines as far back as can be asked for, and no longer', () => {
    expect(durationSeconds(store.limits_config.retention_period)).to.equal(logSinceSeconds)
    expect(store.compactor.retention_enabled).to.equal(true)
  })

  it('listen on loopback alone', () => {
    expect(store.server).to.deep.include({
      http_listen_address: '127.0.0.1',
      http_listen_port: 3100,
      grpc_listen_address: '127.0.0.1',
      grpc_listen_port: 3101,
    })
  })
})

describe('which log store a start has', () => {
  const folder = temporaryFolder()
  const choose = async (cluster: ClusterKind, isAsked: boolean, env: NodeJS.ProcessEnv) => {
    const chosen = await chooseLogStore({ cluster, dataDir: folder(), logStore: isAsked }, env)
    await chosen?.stop()
    return logSettings(chosen, cluster)
  }
  const nothing = (): NodeJS.ProcessEnv => ({ XDG_CACHE_HOME: folder() })
  const hint = { SVC_LOGS_HINT: 'npm start -- --log-store brings one' }

  it('is one of its own where Loki is at hand, or was asked for, with a port before it runs', async () => {
    const SVC_LOKI = writeScript(`${folder()}/loki`, 'exit 0')
    const first = await choose('node', false, { ...nothing(), SVC_LOKI })
    expect(first['SVC_LOGS_URL']).to.match(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await choose('node', true, nothing())).to.deep.equal(first)
  })

  it('is none otherwise, and the api says how one is had', async () => {
    expect(await choose('node', true, { ...nothing(), SVC_LOGS_URL: 'http://logs.example:3100' })).to.deep.equal(hint)
    for (const cluster of ['simulated', 'kubeconfig'] as const)
      expect(await choose(cluster, true, nothing())).to.deep.equal({})
  })
})
