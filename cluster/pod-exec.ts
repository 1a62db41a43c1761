/** Runs a command in a container of a pod, with its input and output as frames. */
import { terminalProtocol, type FrameStream } from '../contract/views/terminal-frames.ts'
import type { CallOptions, ClusterClient } from './objects/cluster-client.ts'
import { objectPath } from './objects/paths.ts'
import { coreTypes } from './objects/resource-type.ts'

export interface PodExec extends CallOptions {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  readonly command: readonly string[]
  /** One output, and line editing: for people. Without, the channels `stdout` and `stderr` are apart. */
  readonly tty: boolean
}

/**
 * Resolves when the cluster took the command on; whether it runs is said on the channel `status`. The signal does not
 * end it any more then. Throws ClusterError: 404 no such pod, 400 no such container.
 */
export function execInPod(client: ClusterClient, exec: PodExec): Promise<FrameStream> {
  const { namespace, pod, container, command, tty, ...options } = exec
  return client.frames(objectPath(coreTypes.pod, namespace, pod, 'exec'), {
    ...options,
    protocol: terminalProtocol,
    // With a terminal there is one output.
    query: { container, command, stdin: true, stdout: true, stderr: !tty, tty },
  })
}
