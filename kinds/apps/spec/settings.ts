/** The spec of a service after an edit of its settings: pure, field by field, with the refusals that span fields. */
import { probeFailures, probeSeconds, targetCpuPercent } from '../../../contract/limits.ts'
import type { Params } from '../../../contract/operations.ts'
import { refuse } from '../../../contract/problem.ts'
import type { AppSpec } from '../kind.ts'
import { canonical } from '../../meta/digest.ts'
import { refuseWithVolume, usualVolumeSize } from './volume.ts'
import { defined } from '../../../contract/defined.ts'
import { noBuild } from './workload-schema.ts'

/** The fields of `PATCH /apps/{name}` that are settings of the spec. */
export type ServiceSettings = Omit<Params<'apps.update'>, 'app' | 'deploy'>

/**
 * The spec with the given settings; a field that is not given stays as it is. Throws Problem invalid_request when a
 * field does not apply to this kind of service or two fields contradict each other.
 */
export function withSettings(spec: AppSpec, wanted: ServiceSettings): AppSpec {
  const { project = spec.project, environment = spec.environment } = wanted
  const { port = spec.port, replicas = spec.replicas, metrics, runOnTags } = wanted
  const { autoscaling: _, build: __, volume: ___, runAsRoot, ...kept } = spec
  const after: AppSpec = {
    ...kept,
    project,
    environment,
    source: sourceAfter(spec, wanted),
    port,
    replicas,
    resources: resourcesAfter(spec, wanted),
    ingress: ingressAfter(spec, wanted),
    metrics: metrics === undefined ? spec.metrics : { ...spec.metrics, enabled: metrics },
    scaleToZero: sleepAfter(spec, wanted),
    deploy: deployAfter(spec, wanted),
    runOn: runOnTags === undefined ? spec.runOn : { tags: [...new Set(runOnTags)] },
    ...defined({
      autoscaling: autoscalingAfter(spec, wanted, replicas),
      build: buildAfter(spec, wanted),
      volume: volumeAfter(spec, wanted),
      // Off is what its absence means, so it is left out.
      runAsRoot: wanted.runAsRoot === undefined ? runAsRoot : wanted.runAsRoot || undefined,
    }),
  }
  refuseWithVolume(after)
  return after
}

function sourceAfter(spec: AppSpec, wanted: ServiceSettings): AppSpec['source'] {
  const { image, git, function: fn } = spec.source
  const { repository, branch, dockerfile, context, waitForCI, watchPatterns, buildVariables } = wanted
  const { functionRuntime, functionCode, functionMode, functionTriggers } = wanted
  refuseForeign({ image: wanted.image }, image !== undefined, 'image services')
  refuseForeign(
    { repository, branch, dockerfile, context, waitForCI, watchPatterns, buildVariables },
    git !== undefined,
    'git services',
  )
  refuseForeign({ functionRuntime, functionCode, functionMode, functionTriggers }, fn !== undefined, 'functions')
  const gitFields = defined({
    repository,
    branch,
    dockerfile: orDefault(dockerfile, 'Dockerfile'),
    context: orDefault(context, '.'),
    waitForCI,
    watchPatterns,
  })
  const fnFields = defined({
    runtime: functionRuntime,
    code: functionCode,
    mode: functionMode,
    triggers: functionTriggers?.map((trigger) => ({ ...trigger, payload: trigger.payload ?? '' })),
  })
  return {
    ...defined({ image: image && { ...image, image: wanted.image ?? image.image } }),
    ...defined({ git: git && { ...git, ...gitFields } }),
    ...defined({ function: fn && { ...fn, ...fnFields } }),
  }
}

/**
 * Refuses fields of another kind of service. A form sends every field that it shows, so a blank field or a switch that
 * is off counts as not given.
 */
export function refuseForeign(fields: object, applies: boolean, to: string): void {
  const [first] = Object.entries(fields).filter(([, value]) => !isBlank(value))
  if (first !== undefined && !applies) throw refuse(`${first[0]} applies to ${to} only`)
}

const isBlank = (value: unknown): boolean =>
  value === undefined || value === '' || value === false || (Array.isArray(value) && value.length === 0)

const orDefault = (value: string | undefined, standard: string): string | undefined => (value === '' ? standard : value)

/** Requests and limits of a service are the same, so limits are left out. */
function resourcesAfter(spec: AppSpec, { cpu, memory }: ServiceSettings): AppSpec['resources'] {
  if (isBlank(cpu) && isBlank(memory)) return spec.resources
  const { requests } = spec.resources
  return {
    requests: {
      cpu: orDefault(cpu, requests.cpu) ?? requests.cpu,
      memory: orDefault(memory, requests.memory) ?? requests.memory,
    },
  }
}

function ingressAfter({ ingress }: AppSpec, { host, tls, dnsVerification }: ServiceSettings): AppSpec['ingress'] {
  return { ...ingress, ...defined({ host, tlsEnabled: tls, dnsVerification }) }
}

/**
 * The defaults of autoscaling: target 50 %, at most 3 copies, or one more than now from three up
 * (docs/reference/services.md#autoscaling).
 */
function autoscalingAfter({ autoscaling }: AppSpec, wanted: ServiceSettings, replicas: number): AppSpec['autoscaling'] {
  if (wanted.autoscaling === false) return undefined
  const fields = defined({
    minReplicas: wanted.minReplicas,
    maxReplicas: wanted.maxReplicas,
    targetCPUUtilization: wanted.targetCPU,
  })
  if (autoscaling === undefined && wanted.autoscaling !== true) {
    if (Object.keys(fields).length > 0)
      throw refuse('turn autoscaling on to set minReplicas, maxReplicas, or targetCPU')
    return undefined
  }
  const copies = Math.max(1, replicas)
  const minReplicas = fields.minReplicas ?? autoscaling?.minReplicas ?? Math.min(copies, fields.maxReplicas ?? copies)
  const after = {
    minReplicas,
    maxReplicas: Math.max(minReplicas, copies >= 3 ? copies + 1 : 3),
    targetCPUUtilization: targetCpuPercent.default,
    ...autoscaling,
    ...fields,
  }
  if (after.minReplicas > after.maxReplicas) throw refuse('minReplicas must not exceed maxReplicas')
  return after
}

function sleepAfter({ scaleToZero }: AppSpec, wanted: ServiceSettings): AppSpec['scaleToZero'] {
  return {
    ...scaleToZero,
    ...defined({ enabled: wanted.scaleToZero, idleSeconds: wanted.idleSeconds, maxReplicas: wanted.scaleToZeroMax }),
  }
}

/** An empty path removes the volume. A blank size keeps the size, or is the usual one for a new volume. */
function volumeAfter({ volume, source }: AppSpec, { volumePath, volumeSize }: ServiceSettings): AppSpec['volume'] {
  refuseForeign({ volumePath, volumeSize }, source.function === undefined, 'image and git services')
  const path = volumePath ?? volume?.path ?? ''
  if (path === '') {
    if (!isBlank(volumeSize) && volumePath === undefined) throw refuse('set volumePath to give the service a volume')
    return undefined
  }
  const { size = usualVolumeSize } = volume ?? {}
  return { path, size: orDefault(volumeSize, size) ?? size }
}

/** An empty list or text removes what was set; a build section without anything but its default is left out. */
function buildAfter({ build }: AppSpec, wanted: ServiceSettings): AppSpec['build'] {
  const { command, args, workingDir, buildCache, buildVariables } = wanted
  if (Object.keys(defined({ command, args, workingDir, buildCache, buildVariables })).length === 0) return build
  const { command: oldCommand, args: oldArgs, workingDir: oldDir, variables, ...others } = build ?? noBuild
  const words = (fresh: string[] | undefined, old: string[] | undefined) =>
    (fresh ?? old ?? []).length === 0 ? undefined : (fresh ?? old)
  const dir = workingDir ?? oldDir ?? ''
  const after = {
    ...others,
    cache: buildCache ?? others.cache,
    ...defined({
      command: words(command, oldCommand),
      args: words(args, oldArgs),
      variables: words(buildVariables, variables),
      workingDir: dir === '' ? undefined : dir,
    }),
  }
  return canonical(after) === canonical(noBuild) ? undefined : after
}

type Probe = NonNullable<AppSpec['deploy']['readinessProbe']>

function deployAfter({ deploy }: AppSpec, wanted: ServiceSettings): AppSpec['deploy'] {
  const { readinessProbe, livenessProbe, ...others } = deploy
  const readiness = probeAfter(readinessProbe, {
    path: wanted.readinessPath,
    port: wanted.readinessPort,
    periodSeconds: wanted.readinessPeriod,
    timeoutSeconds: wanted.readinessTimeout,
    failureThreshold: wanted.readinessFailureThreshold,
  })
  const liveness = probeAfter(livenessProbe, {
    path: wanted.livenessPath,
    port: wanted.livenessPort,
    periodSeconds: wanted.livenessPeriod,
    timeoutSeconds: wanted.livenessTimeout,
    failureThreshold: wanted.livenessFailureThreshold,
  })
  return {
    ...others,
    ...defined({ rollbackOnFailure: wanted.rollbackOnFailure, readinessProbe: readiness, livenessProbe: liveness }),
  }
}

/**
 * An empty path removes the probe; a number without a path keeps the path, or probes `/`. Defaults:
 * docs/reference/services.md#probes.
 */
function probeAfter(
  probe: Probe | undefined,
  wanted: { [Field in keyof Probe]: Probe[Field] | undefined },
): Probe | undefined {
  const fields = defined(wanted)
  if (fields.path === '') return undefined
  if (Object.keys(fields).length === 0) return probe
  return {
    path: '/',
    periodSeconds: probeSeconds.period,
    timeoutSeconds: probeSeconds.timeout,
    failureThreshold: probeFailures.default,
    ...probe,
    ...fields,
  }
}
