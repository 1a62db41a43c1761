/** `POST /databases/restore`: refused, since no backups are written yet. */
import { refuse } from '../../contract/problem.ts'
import type { Handler } from '../context/handler.ts'

export const restore = (): Handler<'databases.restore'> => async () => {
  throw refuse('restoring backups is not available on this server yet')
}
