/** `POST /token/deploy`: every pending change in the environment of the calling project token. */
import { deployEnvironment } from '../context/deploy-environment.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const deploy =
  (needs: Needs): Handler<'tokens.deploy'> =>
  async (call) => {
    const { project = '', environment = '' } = call.caller
    return { ok: true, deployed: await deployEnvironment(needs, { project, environment }, call) }
  }
