/** The settings of the OpenTelemetry Collector that reads the files of a node's pods and sends their lines to Loki. */
import { join } from 'node:path'
import { streamLabels } from './store-settings.ts'

/** Reads every project's files: nothing asks for the lines of others. Rotated ones count until they are compressed. */
const files = ['proj-*/*/*.log', 'proj-*/*/*.log.????????-??????']
const pollEvery = '1s'
/** The runtime cuts longer lines into pieces of 16 KiB, which are joined up to this. */
const joinedBytesMax = 64 * 1024
/** What a line's place is called by the parser of the file's path; the labels have plain names. */
const attributes = { namespace: 'k8s.namespace.name', pod: 'k8s.pod.name', container: 'k8s.container.name' } as const

/** Without it lines that were read and not yet sent are lost with the collector. */
export const collectorFlags = ['--feature-gates=stanza.synchronousLogEmitter']

export interface CollectorOptions {
  /** Absolute path of the node's `/var/log/pods` on this machine. */
  readonly podLogs: string
  /** `http://host:port` of the store. */
  readonly store: string
}

/**
 * The file's text, for a collector that keeps how far it read in the folder `offsets` of the one that it runs in. There
 * is no queue: a line counts as read when the store has it, and until then the file keeps it.
 */
export function collectorSettings({ podLogs, store }: CollectorOptions): string {
  const settings = {
    extensions: { file_storage: { directory: 'offsets', create_directory: true } },
    receivers: {
      file_log: {
        include: files.map((file) => join(podLogs, file)),
        start_at: 'beginning',
        storage: 'file_storage',
        poll_interval: pollEvery,
        force_flush_period: '0s', // the runtime ends every line
        preserve_leading_whitespaces: true,
        preserve_trailing_whitespaces: true,
        include_file_name: false,
        include_file_path: true,
        operators: [
          { type: 'container', max_log_size: joinedBytesMax },
          ...streamLabels.map((label) => ({
            type: 'move',
            from: `resource["${attributes[label]}"]`,
            to: `resource.${label}`,
          })),
          { type: 'retain', fields: streamLabels.map((label) => `resource.${label}`) },
          { type: 'remove', field: 'attributes' },
        ],
      },
    },
    processors: { forget_observed_time: {} },
    exporters: {
      otlp_http: {
        endpoint: `${store}/otlp`,
        timeout: '10s',
        sending_queue: { enabled: false },
        retry_on_failure: { enabled: true, initial_interval: '500ms', max_interval: '2s', max_elapsed_time: '0s' },
      },
    },
    service: {
      extensions: ['file_storage'],
      pipelines: { logs: { receivers: ['file_log'], processors: ['forget_observed_time'], exporters: ['otlp_http'] } },
      telemetry: { logs: { level: 'warn' }, metrics: { level: 'none' } },
    },
  }
  return `${JSON.stringify(settings, undefined, 2)}\n`
}
