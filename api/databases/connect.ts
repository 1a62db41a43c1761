/** The handlers of databases elsewhere: connect an existing server, and change its login. */
import { changeLogin, connectDatabase } from '../../records/databases/connect-database.ts'
import { mintDeployRequest } from '../../records/store/edit-record.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { askedBy, wakeRecord } from '../context/wakes.ts'

export const connectHandlers = (needs: Needs) => ({
  'databases.connect': connect(needs),
  'databases.change-login': login(needs),
})

/** `POST /databases/connect`: deployed at once, since nothing has to be made; the worker tries the login. */
const connect =
  (needs: Needs): Handler<'databases.connect'> =>
  async (call) => {
    const request = mintDeployRequest(askedBy(call), needs.writes.now())
    const { name } = (await connectDatabase(needs.writes, call.params, request)).metadata
    wakeRecord(needs, 'database', name, 'connected', call)
    return { ok: true, name, kind: 'databases', deployed: true }
  }

/** `POST /databases/{name}/login`: fields that are not given stay, except for the password. */
const login =
  (needs: Needs): Handler<'databases.change-login'> =>
  async (call) => {
    const { db, ...wanted } = call.params
    const request = mintDeployRequest(askedBy(call), needs.writes.now())
    await changeLogin(needs.writes, db, wanted, request, call.ifMatch)
    wakeRecord(needs, 'database', db, 'login changed', call)
    return { ok: true }
  }
