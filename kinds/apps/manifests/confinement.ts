/**
 * The Linux rights of a service's copies on their node: what an ordinary image needs, or less where the namespace of
 * the environment refuses root.
 */
import type { V1PodSecurityContext, V1SecurityContext } from '@kubernetes/client-node'
import { annotations } from '../../meta/annotations.ts'
import { refusesRoot } from '../../pods/security.ts'

/**
 * `unconfined`: deployed before svc confined copies, and unchanged until the next deploy. `baseline`: the image decides
 * which user it runs as. `restricted`: never root, the rule of new environments.
 */
export type Confinement = 'unconfined' | 'baseline' | 'restricted'

/**
 * The capabilities that an image which starts as root needs to change the owner of files, serve port 80, become another
 * user and end its child processes.
 */
const ofOrdinaryImages = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID']

/**
 * @param carried labels of the namespace that the copies run in
 * @param runAsRoot whether an admin allows this service to run as root
 */
export function confinementOf(
  isConfined: boolean,
  carried: Readonly<Record<string, string>>,
  runAsRoot: boolean,
): Confinement {
  if (refusesRoot(carried, runAsRoot)) return 'restricted'
  return isConfined ? 'baseline' : 'unconfined'
}

export const podSecurityOf = (confinement: Confinement) =>
  ({
    ...(confinement === 'restricted' ? { runAsNonRoot: true } : {}),
    seccompProfile: { type: 'RuntimeDefault' },
  }) satisfies V1PodSecurityContext

export function containerSecurityOf(confinement: Confinement): V1SecurityContext {
  const capabilities = {
    unconfined: { drop: ['NET_RAW'] },
    baseline: { drop: ['ALL'], add: ofOrdinaryImages },
    restricted: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
  }
  return { allowPrivilegeEscalation: false, capabilities: capabilities[confinement] }
}

/** Whether the copies of an earlier deployment ran confined. */
export function wasConfined({ metadata }: { metadata: { annotations?: Record<string, string> } }): boolean {
  return metadata.annotations?.[annotations.confined] === 'true'
}
