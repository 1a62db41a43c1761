/** Every workflow type of svc: the entry of the bundle that workers load. */

export { gitHostPush } from './githost/push.ts'
export { gitPush } from './githost/git-push.ts'
export { pullRequest } from './githost/pull-request.ts'
export { gitHostReport } from './githost/report.ts'
export { build } from './builds/build.ts'
export { platform } from './platform/platform.ts'
export { scheduleRun } from './functions/schedule-run.ts'
export { project } from './projects/project.ts'
export * from './provisioned-kinds.ts'
export { resync } from './resync.ts'
export { service } from './apps/service.ts'
export { webhookDelivery } from './webhooks/delivery.ts'
