/** The context of copying one environment: it writes records with the api's own functions, so every rule holds. */
import { hostTrouble } from '../../kinds/apps/hosts.ts'
import { gitHostActor } from '../../kinds/apps/git/build-trigger.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { comparedKinds } from '../../kinds/meta/resource-types.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { CopyPlace } from '../../kinds/meta/copied-names.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { OpenPullRequest } from '../../kinds/projects/pull-requests.ts'
import type { AcceptNeeds } from '../../records/apps/accept-deploy.ts'
import type { CreateNeeds } from '../../records/apps/create-draft.ts'
import type { DatabaseNeeds } from '../../records/databases/needs.ts'
import type { LogicalDatabaseNeeds } from '../../records/logical-databases/create-logical-database.ts'
import type { StoreNeeds } from '../../records/object-stores/needs.ts'
import { createNames } from '../../records/place/names.ts'
import type { ActivityNeeds } from '../context/needs.ts'

type CopyNeeds = AcceptNeeds & CreateNeeds & DatabaseNeeds & LogicalDatabaseNeeds & StoreNeeds

export interface Copying extends CopyNeeds {
  entry: OpenPullRequest
  place: CopyPlace & { names: Map<string, string> }
  /** Address of the git host, by which services may name their repositories. */
  gitHostUrl: string
  /** Actor and request id of the deploys: the same for one commit, so that a repetition is recognized. */
  asked: { actor: string; requestId: string }
  /** Records that are not copied, each with the reason. */
  left: string[]
}

export function copyingOf(needs: ActivityNeeds, project: string, entry: OpenPullRequest): Copying {
  const { base, environment, number, commit } = entry
  return {
    ...copyNeeds(needs),
    entry,
    place: { project, base, environment, names: new Map() },
    gitHostUrl: needs.gitHost.web,
    asked: { actor: gitHostActor, requestId: `pr-${number}-${commit}` },
    left: [],
  }
}

/** Whether an earlier try has created this record; a record of the name in another environment means a taken name. */
export const isCopied = <T extends KubeObject & { spec: { project?: string; environment?: string } }>(
  { place }: Copying,
  record: T | undefined,
): record is T => record?.spec.project === place.project && record.spec.environment === place.environment

function copyNeeds(needs: ActivityNeeds): CopyNeeds {
  const { apps, placement } = needs
  return {
    client: needs.client,
    apps,
    projects: needs.projects,
    deployments: needs.deployments,
    databases: needs.databases,
    logicalDatabases: needs.logicalDatabases,
    objectStores: needs.objectStores,
    now: needs.now,
    names: createNames(needs.client, {
      has: (kind, name) => needs[comparedKinds[kind].records].cache.get(name, systemNamespace) !== undefined,
      in: (kind, { project, environment }) =>
        needs[comparedKinds[kind].records].cache.by('environment', namespaceOf(project, environment)),
    }),
    hostTrouble: async (host, name, { project = '', environment = '' }) =>
      hostTrouble(
        host,
        { metadata: { name }, spec: { project, environment } },
        {
          auto: placement.autoHosts,
          reserved: placement.reservedHosts ?? [],
          services: apps.cache,
        },
        undefined,
        true,
      ),
    cloudConnection: needs.cloudConnections.read,
    // No caller waits for a refusal: without capacity on the cluster, the status of the copy has the reason.
    reserveCapacity: () => Promise.resolve(),
    // Used only for volumes that grow and for servers with several copies: a copied environment has neither.
    expandable: () => false,
    canReplicate: () => Promise.resolve(false),
  }
}
