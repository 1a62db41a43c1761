/** Databases as callers make them over HTTP, in a project of their own. */
import type { Database } from '../../kinds/databases/kind.ts'
import { useDataWorld } from './data-world.ts'
import type { Answer } from './test-api.ts'

/** For the tests of a `describe`, as `useDataWorld`. */
export function useDatabases() {
  const world = useDataWorld()
  return {
    world,
    place: () => ({ project: world.project, environment: 'production' }),
    record: async (name: string): Promise<Database> => {
      const found = await world.record<Database>('database', name)
      if (found === undefined) throw new Error(`no database ${name}`)
      return found
    },
    /** The sentence with which the creation of such a database is refused. */
    refusalOf: async (fields: object): Promise<unknown> => (await world.ask('POST', '/databases', fields)).body.error,
    /** A request as the dashboard sends it. */
    form: (path: string, fields: Record<string, string> = {}, method = 'POST'): Promise<Answer> =>
      world.api.ask(method, `/api${path}`, { ...world.cookie, ...(method === 'GET' ? {} : { form: fields }) }),
  }
}
