/** Longer time limits of a start, for slow machines. */

/** The environment's `SVC_PATIENCE`: the factor of all limits, for slow machines such as emulated ones. */
function readFactor(env: NodeJS.ProcessEnv): number {
  const text = env['SVC_PATIENCE'] ?? '1'
  const times = Number(text)
  if (!(times >= 1 && times <= 100)) throw new Error(`SVC_PATIENCE must be a number from 1 to 100, and is ${text}`)
  return times
}

/**
 * A limit in milliseconds, multiplied for this machine. Throws one sentence when SVC_PATIENCE is not a valid factor.
 */
export function scaledLimit(ms: number, env: NodeJS.ProcessEnv = process.env): number {
  return ms * readFactor(env)
}
