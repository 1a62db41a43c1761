/** `GET /apps/{name}/logs/stream`: server-sent events, one log line each, recent first and then new. */
import type { ServerEvent } from '../../contract/operation.ts'
import { followLogs } from '../follow-logs.ts'
import type { Handler } from '../handler.ts'
import type { LogLine } from '../log-lines.ts'
import type { Needs } from '../needs.ts'
import { podsOf } from '../pods-of.ts'
import { appOf } from './scope.ts'

export const logsStream =
  (needs: Needs): Handler<'apps.logs-stream'> =>
  async (call) => {
    const app = await appOf(needs, call)
    const pods = () => podsOf(needs.caches, app)
    return told(followLogs(needs, { service: app.metadata.name, pods, query: call.params, signal: call.signal }))
  }

async function* told(lines: AsyncIterable<LogLine>): AsyncGenerator<ServerEvent> {
  for await (const line of lines) yield { data: line }
}
