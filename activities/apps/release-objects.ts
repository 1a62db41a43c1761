/**
 * Brings a release onto the cluster: its frozen secrets and configuration first, then what runs, then what is no longer
 * wanted goes.
 */

import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { Attempt } from '../../kinds/apps/attempt.ts'
import { confinementOf } from '../../kinds/apps/confinement.ts'
import type { DeploymentView } from '../../kinds/apps/health.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { groundwork, optionalKinds, type Placing, targetNamespace, workload } from '../../kinds/apps/manifests.ts'
import { ownedLabels } from '../../kinds/apps/names.ts'
import { nodeChoiceOf } from '../../kinds/placement/node-choice.ts'
import { readRelease } from '../../records/apps/freeze-secrets.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { applyChild, type ChildManifest, removeChild } from '../kube/apply-child.ts'
import { defined } from '../../contract/defined.ts'

/** The release Secret is gone from svc-system, so the release cannot be brought up. */
export class ReleaseLost extends Error {
  constructor(release: string) {
    super(`the frozen secrets of release ${release} are gone; deploy again`)
    this.name = 'ReleaseLost'
  }
}

/**
 * `unmoved` when the Deployment was as wanted already; `deployment` is its resourceVersion. It is written on condition
 * of the version that the cache has, or that the cluster has when `isLive`. Throws OwnershipConflict, ReleaseLost.
 */
export async function applyRelease(
  needs: ActivityNeeds,
  app: App,
  spec: AppSpec,
  attempt: Attempt,
  isLive: boolean,
): Promise<{ unmoved: boolean; deployment?: string }> {
  const owner = app.metadata.uid ?? ''
  const placing: Placing = {
    name: app.metadata.name,
    uid: owner,
    release: attempt.record,
    secretName: attempt.release ?? '',
    hasSecrets: attempt.release !== undefined,
    steadySeconds: Math.floor(needs.steadyMs / 1000),
    confinement: confinementOf(attempt.confined === true, await namespaceLabels(needs, targetNamespace(spec), isLive)),
    nodes: nodeChoiceOf(await needs.projects.read(spec.project)),
    ...needs.placement,
  }
  const ground = groundwork(spec, placing) as ChildManifest[]
  if (attempt.release !== undefined) ground.push(await frozenSecret(needs, app, spec, attempt.release))
  await Promise.all(ground.map((manifest) => applyChild(needs, manifest, owner)))
  const wanted = workload(spec, placing) as ChildManifest[]
  const { deployments } = needs.children
  const known = isLive ? undefined : deployments.get(app.metadata.name, targetNamespace(spec))
  const applied: (KubeObject & DeploymentView)[] = await Promise.all(
    wanted.map((manifest) => applyChild(needs, manifest, owner, manifest.kind === 'Deployment' ? known : undefined)),
  )
  const present = new Set(wanted.map((manifest) => manifest.kind))
  const memory = {
    Ingress: needs.children.ingresses,
    HorizontalPodAutoscaler: needs.children.autoscalers,
    PodDisruptionBudget: needs.children.disruptionBudgets,
  }
  const unwanted = optionalKinds.filter(
    (kind) => !present.has(kind) && memory[kind].get(app.metadata.name, targetNamespace(spec)) !== undefined,
  )
  await Promise.all(
    unwanted.map((kind) => removeChild(needs.client, kind, targetNamespace(spec), app.metadata.name, owner)),
  )
  const deployment = applied.find(({ kind }) => kind === 'Deployment')
  if (deployment !== undefined) deployments.put(deployment)
  return {
    unmoved: deployment?.metadata.generation === deployment?.status?.observedGeneration,
    ...defined({ deployment: deployment?.metadata.resourceVersion }),
  }
}

/** The level that a namespace enforces decides whether its pods are let in. */
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
  // Its name is an annotation, which every writer of the record may change.
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
