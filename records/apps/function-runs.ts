/** The last runs of a function's schedules, in one ConfigMap in svc-system that is removed with the service. */
import type { V1ConfigMap } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import { isLostRace } from '../../cluster/objects/errors.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { type Budget, onConflict, perActivity } from '../store/retry.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { functionRunsName, functionRunsPurpose, ownedLabels } from '../../kinds/apps/names.ts'
import { type FunctionRun, functionRun, withRun } from '../../kinds/apps/functions/schedules.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { parseList } from '../../kinds/meta/parse-list.ts'
import { isMadeFor } from '../../kinds/secrets/named-secret.ts'

/**
 * The write concerns this ConfigMap alone: after a conflict, or when it was created or deleted meanwhile, it is read
 * again.
 */
const budget: Budget = { ...perActivity, isRace: isLostRace }

const refOf = (app: string) => ({
  type: coreTypes.configMap,
  namespace: systemNamespace,
  name: functionRunsName(app),
})

/**
 * The runs by name of the schedule, oldest first; empty where the ConfigMap belongs to an earlier service of that name.
 */
export async function readRuns(
  client: Pick<ClusterClient, 'get'>,
  { name, uid }: App['metadata'],
): Promise<Record<string, FunctionRun[]>> {
  const found = await client.get<Sent<V1ConfigMap>>(refOf(name))
  const isOwn = found !== undefined && isMadeFor(uid, functionRunsPurpose)(found)
  return allIn((isOwn ? found.data : undefined) ?? {})
}

/** Adds a run, unless it is in the list already. `schedule` is its cron text, `since` when its release began to run. */
export async function noteRun(
  client: ClusterClient,
  app: App,
  { trigger, ...times }: { trigger: string; schedule: string; since?: string | undefined },
  run: FunctionRun,
): Promise<void> {
  return onConflict(
    budget,
    () => client.get<Sent<V1ConfigMap>>(refOf(app.metadata.name)),
    async (current) => {
      if (current !== undefined && !isMadeFor(app.metadata.uid, functionRunsPurpose)(current)) return
      const data = {
        ...current?.data,
        [trigger]: JSON.stringify(withRun(runsIn(current?.data?.[trigger]), run, times)),
      }
      if (current === undefined) await client.create(coreTypes.configMap, newRuns(app, data))
      else await client.replace(coreTypes.configMap, { ...current, data })
    },
  )
}

/** An object without a prototype: a schedule may be called `constructor`. */
function allIn(data: Readonly<Record<string, string>>): Record<string, FunctionRun[]> {
  const all = Object.create(null) as Record<string, FunctionRun[]>
  for (const [trigger, text] of Object.entries(data)) all[trigger] = runsIn(text)
  return all
}

/** Only this file writes the entries; an entry that was edited by hand into something else counts as none. */
const runsIn = (text: string | undefined): FunctionRun[] => parseList(text, functionRun)

function newRuns({ metadata: { name, uid = '' }, spec }: App, data: Record<string, string>): Sent<V1ConfigMap> {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: functionRunsName(name),
      namespace: systemNamespace,
      labels: {
        ...ownedLabels({ name, uid, project: spec.project, environment: spec.environment }),
        [labels.purpose]: functionRunsPurpose,
      },
    },
    data,
  }
}
