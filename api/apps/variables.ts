/** `GET /apps/{name}/variables`: names of secrets, references and shared variables; plain ones with their values. */
import { secretNames } from '../../records/apps/secrets.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { appOf } from './scope.ts'

export const variables =
  (needs: Needs): Handler<'apps.variables'> =>
  async (call) => {
    const app = await appOf(needs, call)
    const { sharedVariableRefs, env, configData } = app.spec
    return {
      secrets: await secretNames(needs.client, app),
      sharedVariableRefs,
      env: env.map(({ name, valueFrom }) => ({ name, kind: valueFrom === undefined ? 'value' : 'secret' })),
      config: configData,
    }
  }
