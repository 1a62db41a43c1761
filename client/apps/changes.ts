/** Changes of a service that take a choice among operations; the command line and the tools of agents share them. */
import { defined } from '../../contract/defined.ts'
import type { View } from '../../contract/operations.ts'
import type { Client } from '../client.ts'

/**
 * The newest deployment before the current one that did not fail, which a rollback without a target goes to; undefined
 * when there is none. The list is newest first; a service that does not say how a deployment ended has it taken. The
 * operator's own record `<app>-active` mirrors the current one and is no target.
 */
export async function previousDeployment(
  client: Client,
  app: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { items } = await client.call('apps.deployments', { app }, { signal })
  const [, ...earlier] = items.filter(({ id }) => id !== `${app}-active`)
  return earlier.find(({ outcome = 'Succeeded' }) => outcome === 'Succeeded')?.id
}

/** Whether a service sleeps, and after how many seconds without a request. */
export type Sleep = { scaleToZero: true; idleSeconds: number } | { scaleToZero: false }

/** Changes copies, sleep or both; both are one write, so that no reader sees half of the change. */
export async function scaleApp(
  client: Client,
  app: string,
  { replicas, sleep }: { replicas?: number | undefined; sleep?: Sleep | undefined },
  signal: AbortSignal,
) {
  if (sleep === undefined && replicas !== undefined)
    return await client.call('apps.scale', { app, replicas }, { signal })
  return await client.call('apps.update', { app, ...sleep, ...defined({ replicas }) }, { signal })
}

/** Performs one removal of a variable. */
type Removal = (signal: AbortSignal) => Promise<unknown>

/**
 * Takes a variable away as each kind that it is: one may be plain and secret at once, and the kind that stayed would
 * have its value take the place of the other. Undefined for a name that is of no kind.
 */
export function variableRemoval(
  client: Client,
  app: string,
  key: string,
  { config, secrets, env }: View<'apps.variables'>,
): Removal | undefined {
  const removals: Removal[] = []
  if (Object.hasOwn(config, key)) removals.push((signal) => client.call('apps.config-delete', { app, key }, { signal }))
  if (secrets.includes(key)) removals.push((signal) => client.call('apps.secrets-delete', { app, key }, { signal }))
  if (env.some(({ name }) => name === key))
    removals.push((signal) => client.call('apps.env-delete', { app, name: key }, { signal }))
  if (removals.length === 0) return undefined
  return async (signal) => {
    for (const remove of removals) await remove(signal)
  }
}
