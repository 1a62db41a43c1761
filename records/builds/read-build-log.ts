/** Reads what the containers of a build have written so far, of its pod. */
import type { ClusterClient } from '../../cluster/client.ts'
import { isInvalid } from '../../cluster/objects/errors.ts'
import { readPodTail } from '../../cluster/pod-logs.ts'
import { buildLogKept } from '../../contract/limits.ts'
import { type BuildLog, type LogContainer, logContainers } from '../../kinds/builds/log.ts'
import { buildsNamespace } from '../../kinds/builds/names.ts'

/**
 * Each with its last lines, their times in front; one that has not started has none. `unread` gets each that cannot be
 * read, and says what to take for it.
 */
export async function readBuildLog(
  client: ClusterClient,
  pod: string,
  unread: (container: LogContainer, error: unknown) => string[] = () => [],
): Promise<BuildLog> {
  const read = async (container: LogContainer): Promise<readonly string[]> => {
    const { lines: tailLines, bytes: limitBytes } = buildLogKept[container]
    const query = { namespace: buildsNamespace, pod, container, tailLines, limitBytes, timestamps: true }
    try {
      return await readPodTail(client, query)
    } catch (error) {
      return isInvalid(error) ? [] : unread(container, error)
    }
  }
  const logs = await Promise.all(logContainers.map(async (container) => [container, await read(container)] as const))
  return Object.fromEntries(logs)
}
