/** The settings of Loki as the log store of one machine: one process, files alone, loopback alone, small limits. */
import { loopback } from '../processes/ports.ts'

/** As far back as the history of logs can be asked for (docs/reference/logs-and-metrics.md#logs). */
const keptFor = '7d'
/** Bytes that stay in memory of what was read; the files are in the cache of the system as well. */
const cacheMegabytes = 8
/** A burst that is over this is taken later: the collector sends it again until it is taken. */
const megabytesPerSecond = 16
/** Longer lines are cut; the API shows 16,384 characters. */
const lineMax = '64KB'
/** What of a stream is compressed and stays in memory until it is a file of its own. */
const chunkBytes = 256 * 1024

/** The labels of a stream, which the API's queries name (outside/logs/logql.ts). */
export const streamLabels = ['namespace', 'pod', 'container'] as const

export interface StorePorts {
  readonly http: number
  /** Its parts call each other there. */
  readonly grpc: number
}

/** With paths below the folder that it runs in. As JSON they are a file for Loki, which reads YAML. */
export const storeSettings = (ports: StorePorts) => ({ ...servers(ports), ...storage, ...limits, ...frugality })

const servers = ({ http, grpc }: StorePorts) => ({
  auth_enabled: false,
  server: {
    http_listen_address: loopback,
    http_listen_port: http,
    grpc_listen_address: loopback,
    grpc_listen_port: grpc,
    graceful_shutdown_timeout: '1s',
    log_level: 'warn',
  },
  common: {
    path_prefix: 'data',
    instance_addr: loopback,
    replication_factor: 1,
    ring: { instance_addr: loopback, kvstore: { store: 'inmemory' } },
    storage: { filesystem: { chunks_directory: 'data/chunks', rules_directory: 'data/rules' } },
  },
  analytics: { reporting_enabled: false },
  // By their address: in the ring of schedulers they would find each other ten seconds after a start.
  query_scheduler: { use_scheduler_ring: false },
  frontend_worker: { frontend_address: `${loopback}:${grpc}` },
})

const storage = {
  schema_config: {
    configs: [
      {
        from: '2024-01-01',
        store: 'tsdb',
        object_store: 'filesystem',
        schema: 'v13',
        index: { prefix: 'index_', period: '24h' },
      },
    ],
  },
  compactor: { working_directory: 'data/compactor', retention_enabled: true, delete_request_store: 'filesystem' },
}

const drop = [{ action: 'drop', regex: '.*' }]

const limits = {
  limits_config: {
    retention_period: keptFor,
    ingestion_rate_mb: megabytesPerSecond,
    ingestion_burst_size_mb: 2 * megabytesPerSecond,
    per_stream_rate_limit: `${megabytesPerSecond}MB`,
    per_stream_rate_limit_burst: `${2 * megabytesPerSecond}MB`,
    max_line_size: lineMax,
    max_line_size_truncate: true,
    split_queries_by_interval: '0s', // not into parts: a worker whose part is ended early rests for seconds
    reject_old_samples: false, // a first start finds the files of pods that have run for longer
    discover_service_name: [],
    discover_log_levels: false,
    otlp_config: {
      resource_attributes: {
        ignore_defaults: true,
        attributes_config: [{ action: 'index_label', attributes: streamLabels }, ...drop],
      },
      log_attributes: drop,
    },
  },
}

/** Loki is made for machines of its own; these bring it down to what one project's newcomer needs. */
const frugality = {
  ingester: {
    lifecycler: { min_ready_duration: '0s', final_sleep: '0s' },
    wal: { replay_memory_ceiling: '64MB' },
    chunk_target_size: chunkBytes,
    query_store_max_look_back_period: -1, // else lines that were hours old when they came are not found at once
  },
  chunk_store_config: { chunk_cache_config: { embedded_cache: { enabled: true, max_size_mb: cacheMegabytes } } },
  query_range: { cache_results: false, results_cache: { cache: { embedded_cache: { max_size_mb: cacheMegabytes } } } },
  querier: { max_concurrent: 2 },
}
