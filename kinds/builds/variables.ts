/**
 * The variables of a service that its builds get: only those that the service names
 * (docs/reference/builds.md#variables).
 */
import { valueAt } from '../../contract/fields/value-at.ts'

export interface BuildVariables {
  /** Plain values by name: a build may put them into its image. */
  args: Readonly<Record<string, string>>
  /** Secret values by name: a step has them while it runs, where the Dockerfile asks for them. */
  secrets: Readonly<Record<string, string>>
}

export const noVariables: BuildVariables = { args: {}, secrets: {} }

interface Variables {
  configData: Readonly<Record<string, string>>
  env: readonly { name: string; value?: string | undefined }[]
}

/**
 * The variables as the release of the deploy has them, or a sentence with the names that are missing. A reference to a
 * database or bucket is always missing: its value exists only in the namespace of the environment.
 * @param frozen the secret and shared variables of the release
 */
export function buildVariablesOf(
  names: readonly string[],
  { configData, env }: Variables,
  frozen: Readonly<Record<string, string>>,
): BuildVariables | string {
  const args: [string, string][] = []
  const secrets: [string, string][] = []
  const missing: string[] = []
  for (const name of names) {
    const entry = env.find((each) => each.name === name)
    const plain = entry === undefined ? valueAt(configData, name) : entry.value
    const secret = entry === undefined ? valueAt(frozen, name) : undefined
    if (secret !== undefined) secrets.push([name, secret])
    else if (plain !== undefined) args.push([name, plain])
    else missing.push(name)
  }
  if (missing.length === 0) return { args: Object.fromEntries(args), secrets: Object.fromEntries(secrets) }
  return `the build asks for ${missing.join(', ')}, and the service has no plain or secret variable of that name`
}
