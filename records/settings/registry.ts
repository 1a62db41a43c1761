/** The platform's registry: where builds push images, and the login as a Secret in the format of Kubernetes. */
import { refuse } from '../../contract/problem.ts'
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { settingSecrets } from '../../kinds/platform/settings.ts'
import { registryLogins } from '../../kinds/secrets/registry-logins.ts'
import type { ConfigNeeds } from './platform-config.ts'
import { type Asked, saveSetting, type Values, type Wanted } from './save-setting.ts'
import { defined } from '../../contract/defined.ts'

export interface RegistrySettings {
  repository: string
  /** Empty for no login. */
  username: string
  password: string
  /** Keeps the stored login when no login is given. */
  keepExisting: boolean
}

interface Login {
  username: string
  password: string
}

const key = '.dockerconfigjson'
/** Docker's key for its hub, which repositories do not name. */
const hub = 'https://index.docker.io/v1/'

/** Throws Problem invalid_request for a username without a password, or the reverse. */
export async function saveRegistry(needs: ConfigNeeds, settings: RegistrySettings, asked?: Asked): Promise<void> {
  if ((settings.username === '') !== (settings.password === ''))
    throw refuse('give both username and password, or neither')
  await saveSetting(needs, 'registry', (stored, config) => wantedOf(settings, stored, config), asked)
}

function wantedOf(
  { repository, username, password, keepExisting }: RegistrySettings,
  stored: Values,
  config: PlatformConfig | undefined,
): Wanted {
  const kept = keepExisting ? loginIn(stored) : undefined
  const login = username === '' ? kept : { username, password }
  const auths =
    login === undefined
      ? {}
      : {
          [hostOf(repository)]: {
            ...login,
            auth: Buffer.from(`${login.username}:${login.password}`).toString('base64'),
          },
        }
  const ref = login === undefined ? foreignRef(config, keepExisting) : { name: settingSecrets.registry }
  return {
    values: { [key]: JSON.stringify({ auths }) },
    part: { registry: { repository, ...defined({ credentialRef: ref }) } },
  }
}

/** The reference to a Secret that was named with kubectl, and that holds the login. */
function foreignRef(config: PlatformConfig | undefined, keepExisting: boolean): { name: string } | undefined {
  const known = config?.spec.registry?.credentialRef
  return keepExisting && known !== undefined && known.name !== settingSecrets.registry ? known : undefined
}

/** The stored login, whatever its host. */
function loginIn(stored: Values): Login | undefined {
  const [known] = Object.values(registryLogins(stored[key] ?? ''))
  return known?.username === undefined || known.password === undefined
    ? undefined
    : { username: known.username, password: known.password }
}

/** `ghcr.io` of `ghcr.io/acme/apps`; a first part without dot or port is a path at Docker's hub. */
function hostOf(repository: string): string {
  const [first = ''] = repository.split('/')
  return /[.:]|^localhost$/.test(first) && !/^(index\.)?docker\.io$/.test(first) ? first : hub
}
