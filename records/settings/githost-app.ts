/** The app at the git host as it is saved now. */
import type { ClusterClient } from '../../cluster/client.ts'
import { refuse } from '../../contract/problem.ts'
import type { GitHostApp } from '../../kinds/platform/githost-app.ts'
import { readValues } from './save-setting.ts'

/** Undefined where none is saved, or only a part of one. */
export async function readGitHostApp(client: ClusterClient): Promise<GitHostApp | undefined> {
  const values = await readValues(client, 'githost')
  const { app_id: appId = '', client_id: clientId = '', client_secret: clientSecret = '' } = values
  const { slug = '', private_key: privateKey = '', webhook_secret: webhookSecret = '' } = values
  const app = { appId, clientId, clientSecret, slug, privateKey, webhookSecret }
  return Object.values(app).includes('') ? undefined : app
}

/** Throws Problem invalid_request where none is saved. */
export async function gitHostApp(client: ClusterClient): Promise<GitHostApp> {
  const app = await readGitHostApp(client)
  if (app === undefined) throw refuse('no git-host app is set up; save one in the platform settings first')
  return app
}
