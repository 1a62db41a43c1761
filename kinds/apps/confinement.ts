/**
 * What the copies of a service may do on their node: what an ordinary image needs, and where an environment says so,
 * less.
 */
import type { V1PodSecurityContext, V1SecurityContext } from '@kubernetes/client-node'
import { annotations } from '../meta/annotations.ts'
import { refusesRoot } from '../pods/security.ts'

/**
 * `unconfined`: deployed before copies were confined, and run on so until the next deploy. `baseline`: the image
 * decides which user it runs as. `restricted`: never root, which is the rule of new environments.
 */
export type Confinement = 'unconfined' | 'baseline' | 'restricted'

/**
 * What an image that starts as root needs to hand its files over, to serve port 80, to become another user and to end
 * its children.
 */
const ofOrdinaryImages = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID']

/**
 * @param carried labels of the namespace that the copies run in
 * @param runAsRoot whether an admin lets this service run as root
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
