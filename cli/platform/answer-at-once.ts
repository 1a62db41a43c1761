/**
 * What is answered without the program: the version, where no service is to be asked for its own. `svc version` and
 * `svc --version` say the same by the usual way (about.ts).
 */
import { existsSync, writeSync } from 'node:fs'
import { cliVersion, configPath } from '../session/at-start.ts'

type Env = Readonly<Record<string, string | undefined>>

export const notSignedIn = 'not signed in to a service'

/**
 * Whether it was: the arguments are the whole command, and nothing names a service.
 * @param write to standard output, all or nothing: opening its stream takes as long as a part of the program.
 */
export function answerAtOnce(argv: readonly string[], env: Env, write = (text: string) => writeSync(1, text)): boolean {
  const text = textOf(argv, env)
  if (text === undefined) return false
  try {
    write(text)
    return true
  } catch {
    return false // a closed or full pipe: the stream of the usual way deals with it
  }
}

function textOf([word, ...others]: readonly string[], env: Env): string | undefined {
  if (others.length > 0) return undefined
  if (word === '-v' || word === '--version') return `${cliVersion}\n`
  return word === 'version' && !namesService(env) ? `svc ${cliVersion}\n${notSignedIn}\n` : undefined
}

/** Whatever is named, and whatever the file holds, is judged by the usual way. */
const namesService = (env: Env): boolean =>
  ['SVC_URL', 'SVC_TOKEN', 'SVC_CONTEXT'].some((name) => env[name]) || existsSync(configPath(env))
