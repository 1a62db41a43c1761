/** A terminal in a copy of a service (docs/reference/terminals.md). */
import type { Params } from '../../contract/operations.ts'
import { refuse } from '../../contract/problem.ts'
import { isInvalid, isNotFound } from '../../cluster/objects/errors.ts'
import { execInPod } from '../../cluster/pod-exec.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import type { PodSeen } from '../context/trim.ts'
import { containerOf, podsOf } from '../logs/log-lines.ts'
import { appOf } from './service-of-call.ts'

/** bash where the image has it, else sh. */
const shell = ['/bin/sh', '-c', 'command -v bash >/dev/null && exec bash; exec sh']

/**
 * `GET /apps/{name}/console/ws`: throws Problem for a request that cannot become a terminal, before any command runs.
 */
export const openConsole =
  (needs: Needs): Handler<'apps.console'> =>
  async ({ params, caller, signal, respond }) => {
    const app = await appOf(needs, { params, caller })
    const pod = copyIn(podsOf(needs.caches, app), params)
    const container = containerIn(pod, params)
    const { name, namespace = '' } = pod.metadata
    respond.audit({ pod: name, container })
    const command = params.command === undefined || params.command.length === 0 ? shell : params.command
    try {
      return await execInPod(needs.client, { namespace, pod: name, container, command, tty: params.tty, signal })
    } catch (error) {
      if (isNotFound(error) || isInvalid(error)) throw refuse(`${name} is no running copy of this service`, error)
      throw error
    }
  }

const isRunning = ({ metadata, status }: PodSeen): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase === 'Running'

/** The named copy, else the oldest running one: during a deploy that is a copy of the proven release. */
function copyIn(pods: readonly PodSeen[], { pod }: Pick<Params<'apps.console'>, 'pod'>): PodSeen {
  const running = pods.filter(isRunning).toSorted((a, b) => (startOf(a) < startOf(b) ? -1 : 1))
  const copy = pod === undefined || pod === '' ? running[0] : running.find(({ metadata }) => metadata.name === pod)
  if (copy !== undefined) return copy
  throw refuse(running.length === 0 ? 'no copies are running' : 'that is no running copy of this service')
}

const startOf = ({ metadata }: PodSeen): string => metadata.creationTimestamp ?? ''

function containerIn(pod: PodSeen, { container }: Pick<Params<'apps.console'>, 'container'>): string {
  if (container === undefined || container === '') return containerOf(pod)
  if (pod.spec?.containers?.some(({ name }) => name === container) === true) return container
  throw refuse(`${pod.metadata.name} has no such container`)
}
