/** Writes the status of a service; every action uses it, so that Ready is made in one place. */

import type { ReadyReason } from '../../kinds/meta/condition-reasons.ts'
import { withReady, type Verdict } from '../../kinds/meta/conditions.ts'
import type { App, AppStatus } from '../../kinds/apps/kind.ts'
import { keepView } from '../../kinds/apps/view.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { type StatusChange, writeStatus } from '../kube/write-status.ts'

/** Writes the status and resolves with the record as written. */
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
  const written = await writeStatus(needs.client, needs.apps, resourceTypes.app, app, { conditions, ...change })
  keepView(app, written)
  return written
}
