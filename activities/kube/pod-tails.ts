/** The last log lines of a pod that failed, for the history of its attempt. */
import { readPodTail } from '../../cluster/pod-logs.ts'
import type { Health } from '../../kinds/apps/assess/health.ts'
import type { PodTail } from '../../records/store/attempt-history.ts'
import type { ActivityNeeds } from '../context/needs.ts'

const tailLines = 50
/** Limit in bytes of all tail lines together, since a single log line may be of any length. */
const tailBytes = 256 * 1024

/** The last log lines of the pod that explains the failure; of a crash-looping pod those of its previous container. */
export async function tailsOf(
  needs: Pick<ActivityNeeds, 'client' | 'log'>,
  namespace: string,
  health: Health,
): Promise<PodTail[]> {
  if (health.pod === undefined) return []
  const where = {
    namespace,
    pod: health.pod,
    container: 'app',
    tailLines,
    limitBytes: tailBytes,
  }
  // A container that ended and was not restarted yet is the current one, and the kubelet may have dropped the previous.
  for (const previous of health.reason === 'CrashLoop' ? [true, false] : [false])
    try {
      const lines = await readPodTail(needs.client, { ...where, previous })
      if (!previous || !lines.every(isForgotten)) return [{ pod: health.pod, lines }]
    } catch (error) {
      // A container that never started has no log; the steps of the attempt have the reason in any case.
      needs.log.info({ pod: health.pod, error: String(error) }, 'the log of the failed pod could not be read')
    }
  return []
}

/** Whether the line is an error text that the kubelet sends as if it were the log. */
const isForgotten = (line: string): boolean => line.startsWith('unable to retrieve container logs for ')
