/** The setting SVC_LOG_LEVEL of api and worker, which begin their logs with it. */
import { pino } from 'pino'

const levels = [...Object.keys(pino.levels.values), 'silent']

/** How much is logged: `info` unless the setting says otherwise. Throws for a word that is no level. */
export function logLevel(env: Readonly<Record<string, string | undefined>>): string {
  const given = env['SVC_LOG_LEVEL'] ?? ''
  if (given === '') return 'info'
  // pino's own refusal does not name the setting.
  if (!levels.includes(given))
    throw new Error(`SVC_LOG_LEVEL must be one of ${levels.join(', ')}, and is ${JSON.stringify(given)}`)
  return given
}
