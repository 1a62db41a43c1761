/** The container of a service's copies: a pure maker. */
import type { V1Container, V1Probe } from '@kubernetes/client-node'
import { defined } from '../../contract/defined.ts'
import { type Confinement, containerSecurityOf } from './confinement.ts'
import { runnerContainer } from './function.ts'
import { imageOf } from './image.ts'
import type { AppSpec } from './kind.ts'
import { mountsOf } from './volume-manifests.ts'
import { noBuild } from './workload-schema.ts'

export interface ContainerNeeds {
  /** Name of the release: of its ConfigMap and its Secret in the target namespace. */
  release: string
  /** Whether a Secret of that name exists for this release. */
  hasSecrets: boolean
  /** The Secret of the release may be an older one, after a rollback. */
  secretName: string
  confinement: Confinement
  /**
   * What a confined copy may write beside volumes, e.g. `10Gi`: its node ends it beyond that, before its neighbours
   * suffer.
   */
  scratchLimit: string
  /** The image that runs the code of a function. */
  runner: string
  /** See `startProbeOf`. */
  askedEarly: boolean
}

/** The container of a service; its configuration comes with the release, and its limits hold for it alone. */
export function appContainer(spec: AppSpec, needs: ContainerNeeds): V1Container {
  const { readinessProbe, livenessProbe } = spec.deploy
  const { command, args, workingDir } = spec.build ?? noBuild
  const from = [
    ...(Object.keys(spec.configData).length === 0 ? [] : [{ configMapRef: { name: needs.release } }]),
    ...(needs.hasSecrets ? [{ secretRef: { name: needs.secretName } }] : []),
    ...spec.envFrom.map((source) => ({
      ...defined({ configMapRef: source.configMapRef, secretRef: source.secretRef }),
    })),
  ]
  return {
    name: 'app',
    image: spec.source.function === undefined ? imageOf(spec) : needs.runner,
    ports: [{ name: 'http', containerPort: spec.port, protocol: 'TCP' }],
    ...(spec.source.function === undefined ? defined({ command, args, workingDir }) : {}),
    env: [
      { name: 'PORT', value: String(spec.port) },
      ...spec.env
        .filter((entry) => entry.name !== 'PORT')
        .map(({ name, value, valueFrom }) =>
          valueFrom === undefined ? { name, value: value ?? '' } : { name, valueFrom },
        ),
    ],
    ...(from.length === 0 ? {} : { envFrom: from }),
    resources: resourcesOf(spec, needs),
    ...mountsOf(spec.volume),
    securityContext: containerSecurityOf(needs.confinement),
    ...(spec.source.function === undefined ? {} : runnerContainer(spec.source.function)),
    ...(readinessProbe === undefined ? {} : { readinessProbe: probe(readinessProbe) }),
    ...(livenessProbe === undefined ? {} : { livenessProbe: probe(livenessProbe) }),
    ...defined({ startupProbe: startProbeOf(spec.deploy, needs) }),
  }
}

function resourcesOf({ resources: { requests, limits } }: AppSpec, { confinement, scratchLimit }: ContainerNeeds) {
  const bounds = { cpu: limits?.cpu ?? requests.cpu, memory: limits?.memory ?? requests.memory }
  if (confinement === 'unconfined') return { requests, limits: bounds }
  // Asked for nothing, or the limit would be reserved on the node.
  return { requests: { ...requests, [scratch]: '0' }, limits: { ...bounds, [scratch]: scratchLimit } }
}

const scratch = 'ephemeral-storage'

function probe(settings: NonNullable<AppSpec['deploy']['readinessProbe']>) {
  const { path, port, periodSeconds, timeoutSeconds, failureThreshold } = settings
  return { httpGet: { path, port: port ?? 'http' }, periodSeconds, timeoutSeconds, failureThreshold } satisfies V1Probe
}

/** The largest that Kubernetes takes: as a start probe that fails ends its container, this one must not. */
const never = 2 ** 31 - 1

/**
 * The start probe of the settings, or the readiness probe asked every second until it answers once. Without that a copy
 * that misses its first readiness probe, because it listens a moment later, is not asked again for a whole period, and
 * a deploy or a request that wakes it waits as long. Not beside a liveness probe, which would begin only then
 * (docs/reference/services.md#probes).
 */
function startProbeOf(deploy: AppSpec['deploy'], { askedEarly }: ContainerNeeds): V1Probe | undefined {
  const { readinessProbe, livenessProbe, startupProbe } = deploy
  if (startupProbe !== undefined) return probe(startupProbe)
  if (!askedEarly || readinessProbe === undefined || livenessProbe !== undefined) return undefined
  return { ...probe(readinessProbe), periodSeconds: 1, failureThreshold: never }
}
