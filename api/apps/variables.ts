/** Variables of a service: plain ones, secrets, references and shared ones. */
import { pendingChangesOf } from '../../kinds/provision/draft.ts'
import { pendingWords } from '../../kinds/apps/deploy/pending-words.ts'
import { attach as attachTo } from '../../records/apps/attach.ts'
import { deleteSecret, secretNames, setSecret } from '../../records/apps/secrets.ts'
import { deleteConfig, deleteEnv, replaceConfig, saveSharedVariables, setConfig } from '../../records/apps/variables.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { appOf, liveAppOf, onApp } from './service-of-call.ts'

/** `GET /apps/{name}/variables`: names of secrets, references and shared variables; plain ones with their values. */
export const variables =
  (needs: Needs): Handler<'apps.variables'> =>
  async (call) => {
    const app = await appOf(needs, call)
    const { sharedVariableRefs, env, configData } = app.spec
    return {
      secrets: await secretNames({ client: needs.client, projects: needs.records.projects }, app),
      sharedVariableRefs,
      env: env.map(({ name, valueFrom }) => ({ name, kind: valueFrom === undefined ? 'value' : 'secret' })),
      config: configData,
    }
  }

/** `POST /apps/{name}/config/set`: sets a plain variable; pods see it with the next deploy. */
export const configSet =
  (needs: Needs): Handler<'apps.config-set'> =>
  async (call) => {
    const saved = await onApp(needs, call, (_app, writes) =>
      setConfig(writes, call.params.app, call.params.key, call.params.value, call.ifMatch),
    )
    return { ok: true, config: saved.spec.configData, pending: pendingChangesOf(saved) }
  }

/** `POST /apps/{name}/config/delete`: deletes a plain variable; pods see it with the next deploy. */
export const configDelete =
  (needs: Needs): Handler<'apps.config-delete'> =>
  async (call) => {
    const saved = await onApp(needs, call, (_app, writes) =>
      deleteConfig(writes, call.params.app, call.params.key, call.ifMatch),
    )
    return { ok: true, config: saved.spec.configData, pending: pendingChangesOf(saved) }
  }

/** `POST /api/apps/{app}/config/raw`: replaces all plain variables by lines of `NAME=value`. */
export const configRaw =
  (needs: Needs): Handler<'apps.config-raw'> =>
  async (call) => {
    const saved = await onApp(needs, call, (_app, writes) =>
      replaceConfig(writes, call.params.app, call.params.config, call.ifMatch),
    )
    return { ok: true, config: saved.spec.configData, pending: pendingChangesOf(saved) }
  }

/** `POST /apps/{name}/secrets/set`: sets a secret variable; the answer has names only. */
export const secretsSet =
  (needs: Needs): Handler<'apps.secrets-set'> =>
  async (call) => {
    const { app, names } = await onApp(needs, call, (judged, writes) =>
      setSecret(writes, judged, call.params.key, call.params.value),
    )
    return { ok: true, secrets: names, pending: pendingChangesOf(app) }
  }

/** `POST /apps/{name}/secrets/delete`: deletes a secret variable; the answer has names only. */
export const secretsDelete =
  (needs: Needs): Handler<'apps.secrets-delete'> =>
  async (call) => {
    const { app, names } = await onApp(needs, call, (judged, writes) => deleteSecret(writes, judged, call.params.key))
    return { ok: true, secrets: names, pending: pendingChangesOf(app) }
  }

/** `POST /api/apps/{app}/env/delete`: deletes a reference variable. */
export const envDelete =
  (needs: Needs): Handler<'apps.env-delete'> =>
  async (call) => {
    const saved = await onApp(needs, call, (_app, writes) =>
      deleteEnv(writes, call.params.app, call.params.name, call.ifMatch),
    )
    return { ok: true, ...pendingWords(saved) }
  }

/** `POST /api/apps/{app}/shared-variables/save`: which shared variables of the project the service uses. */
export const sharedVariablesSave =
  (needs: Needs): Handler<'apps.shared-variables-save'> =>
  async (call) => {
    const { app: name, sharedVariable } = call.params
    const saved = await onApp(needs, call, (_app, writes) =>
      saveSharedVariables(writes, name, sharedVariable, call.ifMatch),
    )
    return { ok: true, ...pendingWords(saved) }
  }

/** `POST /api/apps/{app}/attach`: variables that refer to a database or bucket of the service's environment. */
export const attach =
  (needs: Needs): Handler<'apps.attach'> =>
  async (call) => {
    const { kind, name } = call.params
    const { databases, logicalDatabases, objectStores } = needs.records
    // All read live, and so into the cache: the service may have moved to their environment a moment ago.
    const what =
      kind === 'database'
        ? { kind, record: (await databases.readLive(name)) ?? (await logicalDatabases.readLive(name)) }
        : { kind, record: await objectStores.readLive(name) }
    await liveAppOf(needs, call)
    return {
      ok: true,
      ...pendingWords(await onApp(needs, call, (app, writes) => attachTo(writes, app, what, call.ifMatch))),
    }
  }
