/** Accepts a deploy: one conditional write of the service's record that everything afterwards follows from (design, way of a deploy 4). */

import { randomBytes } from 'node:crypto';
import type { ClusterClient } from '../../cluster/client.ts';
import { Problem, refusals, refuse } from '../../contract/problem.ts';
import { annotations } from '../../kinds/annotations.ts';
import { type Attempt, attemptGoesOn, attemptOf } from '../../kinds/apps/attempt.ts';
import type { App, AppSpec } from '../../kinds/apps/kind.ts';
import { recordName } from '../../kinds/apps/names.ts';
import type { Deployment } from '../../kinds/deployments/kind.ts';
import type { Project } from '../../kinds/projects/kind.ts';
import { recordDeploy } from '../deployments/record-deploy.ts';
import type { RecordStore } from '../record-store.ts';
import { freezeSecrets } from './freeze-secrets.ts';

export interface AcceptNeeds {
  client: ClusterClient;
  apps: RecordStore<App>;
  projects: RecordStore<Project>;
  deployments: RecordStore<Deployment>;
  now: () => Date;
  /** Refuses with Problem invalid_request when the cluster lacks room; undefined where the answer can no longer be a 400. */
  reserve?: (app: App, wanted: AppSpec, attempt: string) => Promise<void>;
}

export interface DeployRequest {
  operation: Attempt['operation'];
  actor: string;
  requestId: string;
  title: string;
  /** The deployment record's name; minted here unless the caller minted it already. */
  record?: string;
  /** What is deployed and saved instead of the saved spec; for a rollback. */
  change?: (app: App) => { spec: AppSpec; deployed: AppSpec; keepPending: boolean };
  /** The frozen secrets of an earlier release are used again instead of being frozen anew. */
  keepRelease?: boolean;
}

/** Five random characters for a record name. */
export function mintRecordName(app: string): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
  return recordName(app, [...randomBytes(5)].map((byte) => alphabet[byte % alphabet.length]).join(''));
}

/**
 * Deploys the saved spec of a service: enabled, nothing pending, last-deployed and the attempt in one write; then the deployment
 * record. Dying between the two loses nothing, since the record is made again from the annotation. Throws Problem: not_found,
 * invalid_request (being deleted, no image, no room).
 */
export async function acceptDeploy(needs: AcceptNeeds, name: string, request: DeployRequest): Promise<App> {
  const app = await needs.apps.read(name);
  if (app === undefined) throw new Problem('not_found', refusals.appNotFound);
  refuseUndeployable(app);
  const record = request.record ?? mintRecordName(name);
  const wanted = request.change?.(app).deployed ?? enabled(app.spec);
  await needs.reserve?.(app, wanted, record);
  const project = await needs.projects.read(app.spec.project);
  const release = request.keepRelease === true ? attemptOf(app)?.release : await freezeSecrets(needs.client, app, project, record);

  let accepted: Attempt | undefined;
  const saved = await needs.apps.edit(name, (current) => {
    const found = attemptOf(current);
    if (found?.record === record) {
      accepted = found; // our own write, whose answer was lost
      return undefined;
    }
    if (current.metadata.uid !== app.metadata.uid) throw new Problem('not_found', refusals.appNotFound);
    refuseUndeployable(current);
    accepted = {
      record,
      ...(release === undefined ? {} : { release }),
      operation: request.operation,
      actor: request.actor,
      requestId: request.requestId,
      title: request.title,
      at: needs.now().toISOString(),
      ...(found !== undefined && attemptGoesOn(current) ? { supersedes: found.record } : {}),
    };
    return withAttempt(current, accepted, request);
  });
  if (saved === undefined || accepted === undefined) throw new Problem('not_found', refusals.appNotFound);
  await recordDeploy(needs.deployments, saved, accepted, wanted);
  return saved;
}

function withAttempt(app: App, attempt: Attempt, request: DeployRequest): App {
  const { spec, deployed, keepPending } = request.change?.(app) ?? { spec: enabled(app.spec), deployed: enabled(app.spec), keepPending: false };
  const { [annotations.pendingChanges]: pending, ...others } = app.metadata.annotations ?? {};
  return {
    ...app,
    metadata: {
      ...app.metadata,
      annotations: {
        ...others,
        ...(keepPending && pending !== undefined ? { [annotations.pendingChanges]: pending } : {}),
        [annotations.lastDeployed]: JSON.stringify(deployed),
        [annotations.attempt]: JSON.stringify(attempt),
      },
    },
    spec,
  };
}

function enabled(spec: AppSpec): AppSpec {
  return { ...spec, deploy: { ...spec.deploy, enabled: true } };
}

/** What a deploy needs before it can be accepted. */
function refuseUndeployable(app: App): void {
  if (app.metadata.deletionTimestamp !== undefined) throw refuse('the service is being deleted');
  const { image, git } = app.spec.source;
  if (git !== undefined) throw refuse('building from a git repository is not available on this server yet');
  if (image === undefined) throw refuse('running functions is not available on this server yet');
  if (image.image === '') throw refuse('set an image in settings before you deploy');
}
