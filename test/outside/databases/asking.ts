/** Asks one database in tests: with small limits, and with the sentence of a refusal. */
import type { LoginAt } from '../../../outside/databases/connect.ts'
import type { Asked, QueryAnswer, QueryLimits } from '../../../outside/databases/query/answer.ts'

export interface AskOptions {
  write?: boolean
  limits?: Partial<QueryLimits>
  signal?: AbortSignal
  as?: LoginAt
}

const usual: QueryLimits = { withinMs: 20_000, rows: 100, bytes: 64 * 1024 }

export function createAsking(run: (at: LoginAt, asked: Asked) => Promise<QueryAnswer>, loginAt: () => LoginAt) {
  const query = (statement: string, options: AskOptions = {}): Promise<QueryAnswer> => {
    const { write = false, limits = {}, signal = new AbortController().signal, as = loginAt() } = options
    return run(as, { statement, write, limits: { ...usual, ...limits }, signal })
  }
  /** Its sentence, or what was answered. */
  const refusal = (statement: string, options: AskOptions = {}): Promise<string> =>
    query(statement, options).then(
      (answer) => `answered ${JSON.stringify(answer)}`,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
  return { query, refusal }
}
