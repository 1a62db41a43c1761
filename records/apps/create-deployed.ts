/** Creates a service that is deployed at once. */
import { Problem } from '../../contract/problem.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { createPlaced, NameUsed } from '../place/place.ts'
import { recordDeploy } from '../store/record-deploy.ts'
import {
  acceptDeploy,
  acceptedDraft,
  type AcceptNeeds,
  type DeployRequest,
  mintRecordName,
  refuseUndeployable,
} from './accept-deploy.ts'
import { createDraft, type CreateNeeds, draft } from './create-draft.ts'
import { takesShared } from './freeze-secrets.ts'
import type { CapacityReserver } from './reserve-capacity.ts'
import { refuseTakenHost } from './save-settings.ts'
import { readVariables } from './variables-secret.ts'

type Needs = AcceptNeeds & CreateNeeds & { capacity: CapacityReserver }

/**
 * Where no secrets have to be frozen, one write creates and deploys the service. Frozen secrets carry the uid of the
 * record, so otherwise a draft is created first; after a crash the draft remains. Without capacity nothing is saved.
 * Throws Problem not_found, invalid_request; NameUsed.
 */
export async function createDeployed(
  { reserve: _reserved, ...needs }: Needs,
  name: string,
  spec: AppSpec,
  asked: Pick<DeployRequest, 'actor' | 'requestId' | 'onAccepted'>,
): Promise<App> {
  const request = {
    ...asked,
    operation: 'deploy' as const,
    title: 'First deploy',
    record: mintRecordName(name),
  }
  refuseUndeployable({ metadata: { name } }, spec)
  await refuseTakenHost(needs, name, spec.ingress.host, spec)
  await needs.capacity.reserve(name, spec, request.record)
  try {
    return await createReserved(needs, name, spec, request)
  } catch (error) {
    if (error instanceof NameUsed) await reserveForOther(needs, name)
    throw error
  }
}

async function createReserved(
  needs: Omit<Needs, 'reserve'>,
  name: string,
  spec: AppSpec,
  request: DeployRequest & { record: string },
): Promise<App> {
  const made = draft(name, spec)
  const project = () => needs.projects.cache.get(spec.project, systemNamespace)
  const isShared = () => takesShared(made, project())
  // A Secret of this name may have been made by hand before the service.
  if (isShared() || Object.keys(await readVariables(needs.client, made, project())).length > 0)
    return acceptDeploy(needs, await createDraft(needs, name, spec), request)
  const created = await createPlaced(needs, 'app', needs.apps, acceptedDraft(needs, made, request.record, request))
  // The project was read live after the write: a variable that was shared in the meantime must be in the release.
  if (isShared()) return acceptDeploy(needs, created, { ...request, record: mintRecordName(name) })
  const { attempt, lastDeployed = created.spec } = viewOf(created)
  request.onAccepted?.(created)
  if (attempt !== undefined) await recordDeploy(needs.deployments, created, attempt, lastDeployed)
  return created
}

/**
 * Another process created a service of this name a moment ago: this request has replaced its reservation, which is made
 * again here.
 */
async function reserveForOther({ apps, capacity }: Pick<Needs, 'apps' | 'capacity'>, name: string): Promise<void> {
  const other = await apps.readLive(name)
  if (other === undefined) return
  const { attempt, attemptGoesOn, effectiveSpec: spec } = viewOf(other)
  if (attempt === undefined || spec === undefined || !attemptGoesOn) return
  try {
    await capacity.reserve(name, spec, attempt.record)
  } catch (error) {
    // The cluster may be short of capacity by now: that refusal is not about this request.
    if (!(error instanceof Problem)) throw error
  }
}
