/** The git-host app: who svc is at the git host, kept in a Secret. */

import { refuse } from '../../contract/problem.ts'
import { settingSecrets } from '../../kinds/platform/settings.ts'
import type { ConfigNeeds } from './platform-config.ts'
import { saveSetting } from './save-setting.ts'

/** Fields as callers name them, and the keys of the Secret (docs/reference/platform.md#configuration). */
const keys = {
  appId: 'app_id',
  clientId: 'client_id',
  clientSecret: 'client_secret',
  slug: 'slug',
  privateKey: 'private_key',
  webhookSecret: 'webhook_secret',
} as const

type Field = keyof typeof keys
export type GitHostSettings = { [Name in Field]?: string | undefined } & { keepExisting: boolean }

/**
 * With `keepExisting`, what is left out keeps its stored value. Throws Problem invalid_request for a field that is
 * neither.
 */
export async function saveGitHost(
  needs: ConfigNeeds,
  { keepExisting, ...given }: GitHostSettings,
  ifMatch?: string,
): Promise<void> {
  await saveSetting(
    needs,
    'githost',
    (stored) => {
      const fields = Object.entries(keys) as [Field, string][] // the entries of a constant object
      const values = fields.map(([name, key]) => {
        const value = given[name] ?? (keepExisting ? stored[key] : undefined) ?? ''
        if (value === '') throw refuse(`${name} is required`)
        return [key, value] as const
      })
      return { values: Object.fromEntries(values), part: { githubAppRef: { name: settingSecrets.githost } } }
    },
    ifMatch,
  )
}
