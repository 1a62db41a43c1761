/** Every workflow type of svc; the bundle that the worker loads. */

export { cloudConnection } from './cloud-connections/cloud-connection.ts'
export { logicalDatabase } from './logical-databases/logical-database.ts'
export { database } from './databases/database.ts'
export { objectStore } from './object-stores/object-store.ts'
export { platform } from './platform/platform.ts'
export { project } from './projects/project.ts'
export { resync } from './resync.ts'
export { service } from './apps/service.ts'
export { webhookDelivery } from './webhooks/delivery.ts'
