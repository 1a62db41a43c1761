/**
 * The resync: the regular comparison of every record with its workflow and with the outside, in independent parts. A
 * part that fails or hangs does not stop the others.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { ReconciledKind } from '../../kinds/meta/resource-types.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { platformConfigName } from '../../kinds/platform/settings.ts'
import { bindEnvironments } from '../../records/projects/environment-bindings.ts'
import { followSettings } from '../../records/settings/save-setting.ts'
import { areOutOfDate } from '../apps/schedules.ts'
import { eachAtOnce } from '../context/at-once.ts'
import { lostElsewhere } from '../databases/lost-elsewhere.ts'
import { missedPushes } from '../githost/missed-pushes.ts'
import { lostOnDatabaseServers } from '../logical-databases/lost-on-server.ts'
import { forgetCreation } from '../logical-databases/remove.ts'
import { lostAtAws } from '../object-stores/lost-at-aws.ts'
import { lostOnServer } from '../object-stores/lost-on-server.ts'
import { askDueBackups, removeOldBackups } from './backups.ts'
import { askDueDrills, notifyBadBackups } from './drills.ts'
import { type CompareNeeds, wakeDue } from './compare.ts'
import { followBucketBackups } from './bucket-backups.ts'
import { followLogicalBackups } from './logical-backups.ts'
import { lookAtPage, type PageInput, type PageReport } from './page.ts'
import { lookAtPullRequests, type PullRequestNeeds } from './pull-requests.ts'
import { createSweeps, type Sweep, type SweepNeeds } from './sweep.ts'
import { notifyLast } from '../webhooks/notify.ts'

export interface ResyncNeeds extends CompareNeeds, SweepNeeds, PullRequestNeeds {
  /** Whether the platform's run has work: a configuration, or an account that svc has used. */
  platformAsks: () => Promise<boolean>
}

export const createResyncActivities = (needs: ResyncNeeds) => ({
  ...looksOutside(needs),
  /** The only activity in runs of former releases; it does nothing, since the next run of this release does all. */
  compareRecords: (): Promise<void> => Promise.resolve(),
  wakeDue: wakeDue(needs),
  wakePlatform: async (): Promise<PageReport> => {
    if (!(await needs.platformAsks()) || (await needs.isOpen('platform', platformConfigName))) return report(1, 0)
    await needs.wake('platform', platformConfigName, 'resync: a look at what the DNS provider holds')
    return report(1, 1)
  },
  /** Sends events of the last attempt again: a run that was terminated right after its status has not sent them. */
  tellMissedEvents: (page: PageInput): Promise<PageReport> =>
    lookAtPage(needs.apps.cache.list(), page, async (app) => {
      await notifyLast(needs, app)
      return false
    }),
  deployMissedPushes: (page: PageInput): Promise<PageReport> =>
    lookAtPage(needs.apps.cache.list(), page, missedPushes(needs)),
  /** Finds Schedules that were changed or removed at Temporal, which no watch shows. */
  lookAtSchedules: (page: PageInput): Promise<PageReport> =>
    lookAtPage(needs.apps.cache.list(), page, async (app) => {
      if (!(await areOutOfDate(needs, app)) || (await needs.isOpen('app', app.metadata.name))) return false
      await needs.wake('app', app.metadata.name, 'resync: a schedule is not as its release asks for')
      return true
    }),
  /** Restores RoleBindings removed by hand: without them svc can neither repair objects there nor read a connection. */
  bindEnvironments: async (): Promise<PageReport> => report(0, await bindEnvironments(needs.client)),
  /** Completes saves of settings if the api died after the Secret and before the configuration. */
  followSettings: async (): Promise<PageReport> => report(await followSettings(needs), 0),
  askDueBackups: (page: PageInput): Promise<PageReport> => askDueBackups(needs, page),
  askDueDrills: (page: PageInput): Promise<PageReport> => askDueDrills(needs, page),
  tellBadBackups: (page: PageInput): Promise<PageReport> => notifyBadBackups(needs, page),
  followLogicalBackups: (page: PageInput): Promise<PageReport> => followLogicalBackups(needs, page),
  followBucketBackups: (page: PageInput): Promise<PageReport> => followBucketBackups(needs, page),
  removeOldBackups: (page: PageInput): Promise<PageReport> => removeOldBackups(needs, page),
  lookAtPullRequests: (page: PageInput): Promise<PageReport> => lookAtPullRequests(needs, page),
  sweep: async ({ what }: { what: Sweep }): Promise<PageReport> => report(0, await createSweeps(needs)[what]()),
})

/** Parts that find changes by hand on a server or in a cloud, which no watch shows. */
function looksOutside(needs: ResyncNeeds) {
  const wakeLost = async <T extends KubeObject>(
    kind: ReconciledKind,
    lost: readonly T[],
    reason: string,
    before?: (record: T) => Promise<unknown>,
  ) => {
    await eachAtOnce(lost, async (record) => {
      await before?.(record)
      await needs.wake(kind, record.metadata.name, `resync: ${reason}`)
    })
    return report(lost.length, lost.length)
  }
  const ofStore = 'something of it is gone from where its objects are'
  const ofServer = 'its server refuses the login that services have, or the password was changed'
  return {
    lookAtObjectServer: async (): Promise<PageReport> => wakeLost('objectStore', await lostOnServer(needs), ofStore),
    lookAtAws: async (): Promise<PageReport> => wakeLost('objectStore', await lostAtAws(needs), ofStore),
    lookAtDatabaseServers: async (): Promise<PageReport> => wakeLost('database', await lostElsewhere(needs), ofServer),
    lookAtLogicalDatabases: async (): Promise<PageReport> =>
      wakeLost(
        'logicalDatabase',
        await lostOnDatabaseServers(needs),
        'its login no longer gets into its database',
        (record: LogicalDatabase) => forgetCreation(needs, record),
      ),
  }
}

const report = (looked: number, acted: number): PageReport => ({ looked, acted, failed: 0, failure: '', after: '' })
