/** Reports the current state of a deploy to the git host (docs/reference/githost.md#reports). */
import type { ClusterClient } from '../../cluster/client.ts'
import { defined } from '../../contract/defined.ts'
import { dashboardPage } from '../../contract/platform/dashboard-page.ts'
import { shownAddress } from '../../kinds/apps/hosts.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { buildName } from '../../kinds/builds/names.ts'
import type { Report, ReportRef } from '../../kinds/builds/report.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { dashboardUrlOf } from '../../kinds/platform/address.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { platformConfigName } from '../../kinds/platform/settings.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { gitHostLinkOf } from '../context/git-host-link.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import type { Reported } from './messages.ts'

type Needs = Pick<ActivityNeeds, 'client' | 'projects' | 'apps' | 'gitHost'>

/**
 * Harmless to repeat. Throws transient errors, which Temporal retries; a refusal by the git host is a result, since the
 * deploy does not depend on the report.
 */
export const report =
  (needs: Needs) =>
  async (ref: ReportRef): Promise<Reported> => {
    const link = await gitHostLinkOf(needs, ref)
    if (link === undefined) return { outcome: 'withdrawn', message: 'the environment is not connected any more' }
    const { app, installation, repository } = link
    const now = await reportOf(needs, ref)
    try {
      await needs.gitHost.report(app, installation, repository, ref, now)
      return { outcome: 'reported', message: now.description }
    } catch (error) {
      if (!(error instanceof UpstreamError) || error.passing) throw error
      return { outcome: 'refused', message: error.message }
    }
  }

async function reportOf({ client, apps }: Needs, ref: ReportRef): Promise<Report> {
  const app = await apps.readLive(ref.app)
  const dashboard = await dashboardUrl(client)
  const logUrl = dashboard === undefined ? undefined : dashboardPage(dashboard, 'services', ref.app)
  return { ...stateOf(app, ref), ...defined({ logUrl }) }
}

function stateOf(app: App | undefined, { record, build }: ReportRef): Report {
  const view = app === undefined ? undefined : viewOf(app)
  const last = app?.status?.lastAttempt
  const retry = app?.metadata.annotations?.[annotations.retry] ?? ''
  if (app === undefined || view?.attempt?.record !== record || buildName(record, retry) !== build)
    return { status: 'failure', deployment: 'inactive', description: 'This deploy is not the current one' }
  const isRetried = retry !== (app.status?.reconcileRetry?.token ?? '')
  if (view.attemptGoesOn || isRetried)
    return { status: 'pending', deployment: 'in_progress', description: 'The deploy goes on' }
  if (last?.phase !== 'Succeeded') return { status: 'failure', deployment: 'failure', description: 'The deploy failed' }
  const address = shownAddress(app)
  return {
    status: 'success',
    deployment: 'success',
    description: 'Deployed',
    ...(address === '' ? {} : { environmentUrl: address }),
  }
}

async function dashboardUrl(client: ClusterClient): Promise<string | undefined> {
  const type = resourceTypes.platformConfig
  const config = await client.get<PlatformConfig>({ type, namespace: systemNamespace, name: platformConfigName })
  return dashboardUrlOf(config?.spec)?.replace(/\/+$/, '')
}

export const createReportActivities = (needs: Needs) => ({ reportDeploy: report(needs) })
