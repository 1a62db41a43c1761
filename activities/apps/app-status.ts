/** Writes the status of a service; every action uses it, so that Ready is made in one place. */

import type { ReadyReason } from '../../kinds/meta/condition-reasons.ts'
import { withReady, type Verdict } from '../../kinds/meta/conditions.ts'
import type { App, AppStatus } from '../../kinds/apps/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { type StatusChange, writeStatus } from '../kube/write-status.ts'

export async function writeAppStatus(
  needs: ActivityNeeds,
  app: App,
  verdict: Verdict<ReadyReason<'app'>>,
  change: StatusChange<AppStatus> = {},
): Promise<App> {
  const conditions = withReady<'app'>(
    app.status?.conditions,
    verdict,
    app.metadata.generation,
    needs.now().toISOString(),
  )
  return writeStatus(needs.client, needs.apps, resourceTypes.app, app, { conditions, ...change })
}
