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
  /**
   * With a terminal: one output, and line editing for people. Without it, the channels `stdout` and `stderr` are
   * separate.
   */
  readonly tty: boolean
}

/**
 * Resolves when the API server has accepted the command; whether it runs is reported on the channel `status`. From then
 * on the signal does not end it. Throws ClusterError: 404 no such pod, 400 no such container.
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
