/** Reads the logs of a build's containers from its pod. */
import type { ClusterClient } from '../../cluster/client.ts'
import { isInvalid } from '../../cluster/objects/errors.ts'
import { readPodTail } from '../../cluster/pod-logs.ts'
import { buildLogKept } from '../../contract/limits.ts'
import { type BuildLog, type LogContainer, logContainers } from '../../kinds/builds/log.ts'
import { buildsNamespace } from '../../kinds/builds/names.ts'

/**
 * The last lines of each container, with their times in front; none of a container that has not started. `unread` is
 * called for a container whose log cannot be read, and returns the lines to use instead.
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
