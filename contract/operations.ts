/** All operations, and the types that follow from an operation's id. */
import type { z } from 'zod'
import { appOperations } from './apps/operations.ts'
import { authOperations } from './auth/operations.ts'
import { metricsOperations } from './metrics/operations.ts'
import { cloudConnectionOperations } from './cloud-connections/operations.ts'
import { nodeOperations } from './nodes/operations.ts'
import { databaseOperations } from './databases/operations.ts'
import { logicalDatabaseOperations } from './logical-databases/operations.ts'
import { objectStoreOperations } from './object-stores/operations.ts'
import type { Operation } from './operation.ts'
import { orphanOperations } from './orphans/operations.ts'
import { platformOperations } from './platform/operations.ts'
import { projectOperations } from './projects/operations.ts'
import { runOperations } from './runs/operations.ts'
import { settingsOperations } from './settings/operations.ts'
import { templateOperations } from './templates/operations.ts'
import { tokenOperations } from './tokens/operations.ts'
import { userOperations } from './users/operations.ts'
import { usageOperations } from './usage/operations.ts'

export const operations = {
  ...platformOperations,
  ...authOperations,
  ...tokenOperations,
  ...userOperations,
  ...projectOperations,
  ...appOperations,
  ...nodeOperations,
  ...metricsOperations,
  ...usageOperations,
  ...runOperations,
  ...templateOperations,
  ...databaseOperations,
  ...logicalDatabaseOperations,
  ...objectStoreOperations,
  ...settingsOperations,
  ...cloudConnectionOperations,
  ...orphanOperations,
} as const

/** `'apps.deploy'`: module, dot, verb; `api/apps/handlers.ts` names what serves it. */
export type OperationId = keyof typeof operations
/** What a handler receives. */
export type Params<Id extends OperationId> = z.output<(typeof operations)[Id]['params']>
/** What a client may send: defaulted fields may be left out. */
export type ParamsInput<Id extends OperationId> = z.input<(typeof operations)[Id]['params']>
/** What a handler answers and a client gets. */
export type View<Id extends OperationId> = z.output<(typeof operations)[Id]['view']>

/** Operations of one or more modules: `OperationsOf<'apps' | 'tokens'>`. */
export type OperationsOf<Module extends string> = Extract<OperationId, `${Module}.${string}`>

/**
 * Every operation with its id, in the order of the OpenAPI document
 * (docs/reference/conventions.md#the-openapi-document).
 */
export const allOperations: readonly (readonly [OperationId, Operation])[] = Object.entries(operations).map(
  ([id, it]) => [id as OperationId, it] as const, // Object.entries widens the keys of a constant object
)

/** One operation as plain data, for code that does not know its id beforehand. */
export const operationOf = (id: OperationId): Operation => operations[id]
