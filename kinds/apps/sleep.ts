/**
 * Whether sleep-when-idle works for a service, and what it lacks otherwise
 * (docs/reference/services.md#sleep-when-idle).
 */

import type { AppSpec, AppStatus } from './kind.ts'

type Sleep = NonNullable<AppStatus['scaleToZero']>

/** `host` is the one requests come in for, '' for none; the add-on is what wakes a service when a request comes. */
export function sleepOf({ autoscaling }: Pick<AppSpec, 'autoscaling'>, host: string, addOn: boolean): Sleep {
  const missing = [
    ...(addOn ? [] : ['the serverless add-on is not installed']),
    ...(host === '' ? ['the service has no public host'] : []),
    ...(autoscaling === undefined ? [] : ['CPU autoscaling is on']),
  ]
  return missing.length === 0
    ? { active: true }
    : { active: false, message: `sleep-when-idle is saved but not active: ${missing.join(', ')}` }
}
