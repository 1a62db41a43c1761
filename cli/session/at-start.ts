/** What a process of svc knows before it reads anything: its version, and where the file of saved logins is. */
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Set in the bundle at its build; a run from the sources has `dev`. */
export const cliVersion = process.env.SVC_CLI_VERSION ?? 'dev'

type Env = Readonly<Record<string, string | undefined>>

/** `SVC_CONFIG`, or `svc/config.json` under the user configuration directory. */
export function configPath(env: Env): string {
  return env['SVC_CONFIG'] || join(userConfigDir(env), 'svc', 'config.json')
}

function userConfigDir(env: Env): string {
  const home = env['HOME'] || homedir()
  if (process.platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming')
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support')
  return env['XDG_CONFIG_HOME'] || join(home, '.config')
}
