/** `GET /apps/{name}/logs/stream`: server-sent events, one log line each, recent first and then new. */
import { sees } from '../../contract/caller.ts'
import { labels } from '../../kinds/annotations.ts'
import { followLogs } from '../logs/follow-logs.ts'
import type { Handler } from '../context/handler.ts'
import type { LogSource } from '../logs/log-lines.ts'
import type { Needs } from '../context/needs.ts'
import { sourcesOf } from '../logs/pods-of.ts'
import { appOf } from './scope.ts'

export const logsStream =
  (needs: Needs): Handler<'apps.logs-stream'> =>
  async (call) => {
    const { metadata } = await appOf(needs, call)
    // Asked anew each time: the service may be deleted, or moved out of the caller's sight.
    const sources = (): LogSource[] => {
      const app = needs.caches.apps.get(metadata.name, metadata.namespace)
      if (app?.metadata.uid !== metadata.uid || app === undefined) return []
      return sees(call.caller, app.spec.project, app.spec.environment) ? sourcesOf(needs.caches, app) : []
    }
    const concerns = (pod: LogSource['pod']): boolean => pod.metadata.labels?.[labels.owner] === metadata.uid
    return followLogs(needs, { sources, concerns, query: call.params, signal: call.signal })
  }
