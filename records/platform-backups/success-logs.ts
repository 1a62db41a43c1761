/**
 * The logs of deploys that succeeded, as objects of a backup of the platform. Their lines follow from the status of the
 * service, which a restore does not bring back.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { successesIn, viewOf } from '../../kinds/apps/view.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { isMadeFor } from '../../kinds/secrets/named-secret.ts'
import { acceptedIn, attemptLogMeta, attemptLogPurpose, linesIn } from '../store/attempt-history.ts'
import { stepsOf } from '../store/success-steps.ts'

interface Found {
  app: readonly KubeObject[]
  deployment: readonly KubeObject[]
}
type Log = KubeObject & { data?: Record<string, string> }

/** The logs, with one of each kept deployment that succeeded: its lines are added where it has a log already. */
export function withSuccessLogs(found: Found, logs: readonly KubeObject[]): KubeObject[] {
  const all = new Map(logs.map((log): [string, Log] => [log.metadata.name, log]))
  const records = new Map((found.deployment as readonly Deployment[]).map((record) => [record.metadata.name, record]))
  for (const app of found.app as readonly App[])
    for (const { id, image } of successesIn(app.status)) {
      const record = records.get(id)
      if (record?.metadata.labels?.[labels.owner] !== app.metadata.uid || record === undefined) continue
      const made = attemptLogMeta(viewOf(app), id)
      const log: Log = all.get(made.name) ?? { apiVersion: 'v1', kind: 'ConfigMap', metadata: made }
      if (!isMadeFor(app.metadata.uid, attemptLogPurpose)(log)) continue
      const steps = stepsOf(app, id, acceptedIn(record), linesIn(log.data?.['steps']))
      const data = { ...log.data, steps: steps.join('\n'), ...(image === undefined ? {} : { image }) }
      all.set(made.name, { ...log, data })
    }
  return [...all.values()]
}
