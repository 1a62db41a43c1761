/** The container of a service's copies: a pure maker. */
import type { V1Container, V1Probe } from '@kubernetes/client-node'
import { defined } from '../../../contract/defined.ts'
import { type Confinement, containerSecurityOf } from './confinement.ts'
import { runnerContainer } from '../functions/function.ts'
import { imageOf } from '../deploy/image.ts'
import type { AppSpec } from '../kind.ts'
import { mountsOf } from './volume.ts'
import { noBuild } from '../spec/workload-schema.ts'

export interface ContainerNeeds {
  /** Name of the release: of its ConfigMap and its Secret in the target namespace. */
  release: string
  /** Whether a Secret of that name exists for this release. */
  hasSecrets: boolean
  /** The Secret with the secret variables; after a rollback it may be that of an older release. */
  secretName: string
  confinement: Confinement
  /**
   * What a confined copy may write beside its volumes, e.g. `10Gi`: beyond that the kubelet evicts the copy, before
   * other pods of the node suffer.
   */
  scratchLimit: string
  /** The image that runs the code of a function. */
  runner: string
  /** See `startProbeOf`. */
  askedEarly: boolean
}

/** The container of a service: its variables come from the objects of the release. */
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
  // The request is 0, or the scheduler would reserve the whole limit on the node.
  return { requests: { ...requests, [scratch]: '0' }, limits: { ...bounds, [scratch]: scratchLimit } }
}

const scratch = 'ephemeral-storage'

function probe(settings: NonNullable<AppSpec['deploy']['readinessProbe']>) {
  const { path, port, periodSeconds, timeoutSeconds, failureThreshold } = settings
  return { httpGet: { path, port: port ?? 'http' }, periodSeconds, timeoutSeconds, failureThreshold } satisfies V1Probe
}

/**
 * The largest failure threshold that Kubernetes accepts: a start probe that fails ends its container, and the early
 * start probe must never do so.
 */
const never = 2 ** 31 - 1

/**
 * The start probe of the settings, or else the readiness probe run every second until it succeeds once. Without that, a
 * copy that begins to listen just after its first readiness probe waits a whole period for the next one, and so does
 * the deploy or the request that woke it. None beside a liveness probe, which Kubernetes starts only after the start
 * probe (docs/reference/services.md#probes).
 */
function startProbeOf(deploy: AppSpec['deploy'], { askedEarly }: ContainerNeeds): V1Probe | undefined {
  const { readinessProbe, livenessProbe, startupProbe } = deploy
  if (startupProbe !== undefined) return probe(startupProbe)
  if (!askedEarly || readinessProbe === undefined || livenessProbe !== undefined) return undefined
  return { ...probe(readinessProbe), periodSeconds: 1, failureThreshold: never }
}
