/** The git-host app, svc's identity at the git host, in a Secret (docs/reference/platform.md#configuration). */
import type { ClusterClient } from '../../cluster/client.ts'
import { refuse } from '../../contract/problem.ts'
import { type GitHostApp, gitHostKeys, settingSecrets } from '../../kinds/platform/settings.ts'
import type { ConfigNeeds } from './platform-config.ts'
import { type Asked, readValues, saveSetting, type Values } from './save-setting.ts'

export type GitHostSettings = { [Name in keyof GitHostApp]?: string | undefined } & { keepExisting: boolean }

/**
 * With `keepExisting`, fields that are not given keep their stored value. Throws Problem invalid_request for a field
 * that is neither given nor stored.
 */
export async function saveGitHost(
  needs: ConfigNeeds,
  { keepExisting, ...given }: GitHostSettings,
  asked?: Asked,
): Promise<void> {
  await saveSetting(
    needs,
    'githost',
    (stored) => {
      const former = appOf(stored)
      const values = names.map((name) => {
        const value = given[name] ?? (keepExisting ? former[name] : '')
        if (value === '') throw refuse(`${name} is required`)
        return [gitHostKeys[name], value] as const
      })
      return { values: Object.fromEntries(values), part: { githubAppRef: { name: settingSecrets.githost } } }
    },
    asked,
  )
}

/** The saved app; '' for each value that is missing. */
export const readGitHostApp = async (client: ClusterClient): Promise<GitHostApp> =>
  appOf(await readValues(client, 'githost'))

/** Whether the app is complete, so that svc can act as it. */
export const isWhole = (app: GitHostApp): boolean => !Object.values(app).includes('')

/** The complete app. Throws Problem invalid_request where none is saved, or only a part of one. */
export async function gitHostApp(client: ClusterClient): Promise<GitHostApp> {
  const app = await readGitHostApp(client)
  if (!isWhole(app)) throw refuse('no git-host app is set up; save one in the platform settings first')
  return app
}

const names = Object.keys(gitHostKeys) as (keyof GitHostApp)[] // the keys of a constant object

function appOf(values: Values): GitHostApp {
  const { appId, clientId, clientSecret, slug, privateKey, webhookSecret } = gitHostKeys
  const valueOf = (key: string): string => values[key] ?? ''
  return {
    appId: valueOf(appId),
    clientId: valueOf(clientId),
    clientSecret: valueOf(clientSecret),
    slug: valueOf(slug),
    privateKey: valueOf(privateKey),
    webhookSecret: valueOf(webhookSecret),
  }
}
