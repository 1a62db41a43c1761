/** The paths through a run of a function's schedule, and through the resync that looks at schedules. */
import { resyncScheduleId, scheduleId } from '../../durable/ids.ts'
import { runNow, runningWith, triggerOf, untilRuns } from '../workflows/schedule-world.ts'
import type { Path } from './scene.ts'

export const schedulePaths: Readonly<Record<string, Path>> = {
  'schedule-run-answered': async ({ records, project }) => {
    const app = await runningWith(records, project, triggerOf('recorded'))
    await runNow(app, 'recorded')
    await untilRuns(records, app, 'recorded', 1)
    return scheduleId(app.metadata.name, 'recorded')
  },
  'resync-with-schedules': async (scene) => {
    await scene.resync()
    return resyncScheduleId
  },
}
