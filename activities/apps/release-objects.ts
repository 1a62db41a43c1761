/**
 * Applies a release to the cluster: its frozen secrets and configuration first, then the workload; then removes objects
 * that are no longer wanted.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { Attempt } from '../../kinds/apps/deploy/attempt.ts'
import { confinementOf } from '../../kinds/apps/manifests/confinement.ts'
import { type DeploymentView, appliedText } from '../../kinds/apps/assess/health.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { groundwork, optionalKinds, type Placing, workload } from '../../kinds/apps/manifests/service.ts'
import { ownedLabels } from '../../kinds/apps/names.ts'
import type { SleepParts } from '../../kinds/apps/assess/sleep.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { nodeChoiceOf } from '../../kinds/placement/node-choice.ts'
import { readRelease } from '../../records/apps/freeze-secrets.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { applyChild, type ChildManifest, removeChild } from '../kube/apply-child.ts'
import { sleepPartsOf } from './observe.ts'
import {
  applyScaler,
  handOverCopies,
  removeSleepParts,
  routeToInterceptor,
  maySleep,
  startCopies,
  stayAwake,
} from './sleep.ts'
import { applyVolume } from './volume.ts'
import { defined } from '../../contract/defined.ts'

/** The release Secret is gone from svc-system, so the copies cannot get their secrets. */
export class ReleaseLost extends Error {
  constructor(release: string) {
    super(`the frozen secrets of release ${release} are gone; deploy again`)
    this.name = 'ReleaseLost'
  }
}

/** This worker has no image for the runtime of the function, and none was frozen for its attempt. */
export class RunnerMissing extends Error {
  constructor(runtime: string) {
    super(`no image runs functions of ${runtime} here: SVC_FUNCTION_IMAGES of the worker names none`)
    this.name = 'RunnerMissing'
  }
}

export interface Applying {
  /** Whether the record was read live: then its Deployment is read live, too. */
  isLive: boolean
  /**
   * Whether all earlier work on the record had ended: else another worker may have applied objects a moment ago that
   * the caches do not have yet.
   */
  isCalm: boolean
  /** Whether nothing was ever applied for the service: then it has no objects, and none is read. */
  isNew: boolean
}

/**
 * `unmoved` when the Deployment was as wanted already; `deployment` is its resourceVersion; `applied`: see
 * `appliedText`. The apply of the Deployment has the cached resourceVersion as its condition, the live one when
 * `isLive`. Throws OwnershipConflict, ReleaseLost, RunnerMissing, VolumeRefused.
 */
export async function applyRelease(
  needs: ActivityNeeds,
  app: App,
  spec: AppSpec,
  attempt: Attempt,
  { isLive, isCalm, isNew }: Applying,
): Promise<{ unmoved: boolean; deployment?: string; applied: string }> {
  const owner = app.metadata.uid ?? ''
  const runner = viewOf(app).frozenImage?.image ?? ''
  if (spec.source.function !== undefined && runner === '') throw new RunnerMissing(spec.source.function.runtime)
  const active = await maySleep(needs, app, spec)
  const placing: Placing = {
    name: app.metadata.name,
    uid: owner,
    release: attempt.record,
    secretName: attempt.release ?? '',
    hasSecrets: attempt.release !== undefined,
    steadySeconds: Math.floor(needs.steadyMs / 1000),
    confinement: confinementOf(
      attempt.confined === true,
      await namespaceLabels(needs, targetNamespace(spec), isLive),
      spec.runAsRoot === true,
    ),
    askedEarly: attempt.askedEarly === true,
    runner,
    nodes: nodeChoiceOf(await needs.projects.read(spec.project)),
    ...needs.placement,
    sleep: active ? needs.placement.sleep : undefined,
  }
  const ground = groundwork(spec, placing) as ChildManifest[]
  if (attempt.release !== undefined) ground.push(await frozenSecret(needs, app, spec, attempt.release))
  const [made] = await Promise.all([
    Promise.all(ground.map((manifest) => applyChild(needs, manifest, owner, { isNew }))),
    applyVolume(needs, app, spec),
  ])
  const wanted = workload(spec, placing) as ChildManifest[]
  const { deployments } = needs.children
  const known = isLive || isNew ? undefined : deployments.get(app.metadata.name, targetNamespace(spec))
  const applied: (KubeObject & DeploymentView)[] = await applyWorkload(
    needs,
    { app, spec, placing, wanted, isCalm, isNew },
    known,
  )
  const present = new Set(wanted.map((manifest) => manifest.kind))
  const caches = {
    Ingress: needs.children.ingresses,
    HorizontalPodAutoscaler: needs.children.autoscalers,
    PodDisruptionBudget: needs.children.disruptionBudgets,
  }
  const unwanted = optionalKinds.filter(
    (kind) =>
      !present.has(kind) && (!isCalm || caches[kind].get(app.metadata.name, targetNamespace(spec)) !== undefined),
  )
  await Promise.all(
    unwanted.map((kind) => removeChild(needs.client, kind, targetNamespace(spec), app.metadata.name, owner)),
  )
  const deployment = applied.find(({ kind }) => kind === 'Deployment')
  if (deployment !== undefined) deployments.put(deployment)
  return {
    unmoved: deployment?.metadata.generation === deployment?.status?.observedGeneration,
    ...defined({ deployment: deployment?.metadata.resourceVersion }),
    applied: appliedText(owner, Object.fromEntries([...made, ...applied].map((object) => [object.kind, object]))),
  }
}

interface Workload {
  app: App
  spec: AppSpec
  placing: Placing
  wanted: readonly ChildManifest[]
  isCalm: boolean
  isNew: boolean
}

/** Applies all objects at once, unless the serverless add-on scales the copies, or did so before. */
async function applyWorkload(
  needs: ActivityNeeds,
  work: Workload,
  known: KubeObject | undefined,
): Promise<KubeObject[]> {
  const { app, spec, placing, wanted, isCalm, isNew } = work
  const apply = (manifest: ChildManifest, found?: KubeObject) =>
    applyChild(needs, manifest, placing.uid, {
      known: manifest.kind === 'Deployment' ? found : undefined,
      trustsCache: isCalm,
      isNew,
    })
  const run = async (manifest: ChildManifest) => {
    const applied = await apply(manifest, known)
    return manifest.kind === 'Deployment' ? startCopies(needs, spec, applied) : applied
  }
  if (placing.sleep !== undefined) {
    const least = viewOf(app).attemptRuns ? 1 : 0
    await routeToInterceptor(needs, spec, placing)
    const handed = await handOverCopies(needs, spec, placing, least)
    const applied = await Promise.all(wanted.map((manifest) => apply(manifest, handed)))
    await applyScaler(needs, app, spec, least)
    return applied
  }
  const has = await sleepPartsOf(needs, app, targetNamespace(spec))
  if (!Object.values(has).includes(true)) return Promise.all(wanted.map(run))
  return takeCopiesBack(needs, work, has)
}

/** Takes scaling back from the add-on: the copies first, then the route to them, then svc's own autoscaler. */
async function takeCopiesBack(
  needs: ActivityNeeds,
  { app, spec, placing, wanted, isCalm }: Workload,
  has: SleepParts,
): Promise<KubeObject[]> {
  const apply = (manifest: ChildManifest) => applyChild(needs, manifest, placing.uid, { trustsCache: isCalm })
  if (has.scaler) await stayAwake(needs, app, spec)
  const of = (kinds: readonly string[]) => wanted.filter(({ kind }) => kinds.includes(kind))
  const applied: KubeObject[] = []
  for (const manifest of of(['Deployment'])) applied.push(await startCopies(needs, spec, await apply(manifest)))
  const later = ['HorizontalPodAutoscaler']
  const between = wanted.filter(({ kind }) => kind !== 'Deployment' && !later.includes(kind))
  applied.push(...(await Promise.all(between.map(apply))))
  await removeSleepParts(needs, app, spec)
  for (const manifest of of(later)) applied.push(await apply(manifest))
  return applied
}

/** The labels of the namespace: its Pod Security level decides which pods are admitted. */
async function namespaceLabels(
  { client, children }: ActivityNeeds,
  name: string,
  isLive: boolean,
): Promise<Record<string, string>> {
  const known = isLive ? undefined : children.namespaces.get(name)
  const namespace = known ?? (await client.get<KubeObject>({ type: coreTypes.namespace, name }))
  return namespace?.metadata.labels ?? {}
}

/**
 * The release's Secret as the pods see it: a copy, in their namespace, of what was frozen when the deploy was accepted.
 */
async function frozenSecret(
  needs: ActivityNeeds,
  app: App,
  spec: AppSpec,
  release: string,
): Promise<ChildManifest & { data: Record<string, string> }> {
  // Checked by its owner: the Secret's name is in an annotation, which every writer of the record may change.
  const frozen = await readRelease(needs.client, app, release)
  if (frozen === undefined) throw new ReleaseLost(release)
  const labels = ownedLabels({
    name: app.metadata.name,
    uid: app.metadata.uid ?? '',
    project: spec.project,
    environment: spec.environment,
  })
  const copy = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: release, namespace: targetNamespace(spec), labels },
    type: 'Opaque',
    immutable: true,
    data: frozen.data ?? {},
  }
  return copy
}
