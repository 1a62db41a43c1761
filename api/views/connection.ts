/** The connection details of a database for admins; a reveal is logged first. */
import { actorOf } from '../../contract/caller.ts'
import type { OperationId, View } from '../../contract/operations.ts'
import { readConnection } from '../../records/secrets/read-connection.ts'
import type { Call } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { defined } from '../../contract/defined.ts'

type Connection = View<'databases.connection'>

/** Throws Problem `no connection details yet`. The log has the resource and the caller, never a value. */
export async function connectionOf(
  { client, log }: Needs,
  record: Parameters<typeof readConnection>[1],
  operation: OperationId,
  {
    params,
    caller,
    requestId,
    respond,
  }: Pick<Call<'databases.connection'>, 'caller' | 'requestId' | 'respond'> & {
    params: { reveal?: boolean | undefined }
  },
): Promise<Connection> {
  const texts = await readConnection(client, record)
  const { host = '', port = '', database = '', username = '', password, uri } = texts
  const shown = { keys: Object.keys(texts).sort(), host, port, database, username }
  respond.header('Cache-Control', 'no-store')
  if (params.reveal !== true) return shown
  log.info(
    {
      audit: true,
      requestId,
      actor: actorOf(caller),
      operation,
      resource: { name: record.metadata.name },
      result: 'revealed',
    },
    'audit',
  )
  return {
    ...shown,
    ...defined({ password, uri }),
    revealed: true,
  }
}
