/** Edits of a service's plain variables and references: saved in the record, effective with the next deploy. */
import { variableNameMax } from '../../contract/limits.ts'
import { variableName } from '../../contract/fields/patterns.ts'
import { refusals, refuse } from '../../contract/problem.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { type EditNeeds, editSpec } from './edit-app.ts'

/** Sets one plain variable. Throws Problem invalid_request when a reference of that name would hide it. */
export function setConfig(needs: EditNeeds, name: string, key: string, value: string, ifMatch?: string): Promise<App> {
  return editSpec(needs, name, ({ spec }) => withConfig(spec, { ...spec.configData, [key]: value }), ifMatch)
}

/** Deletes one plain variable; harmless where it does not exist. */
export function deleteConfig(needs: EditNeeds, name: string, key: string, ifMatch?: string): Promise<App> {
  return editSpec(needs, name, ({ spec }) => withConfig(spec, without(spec.configData, key)), ifMatch)
}

/** Replaces all plain variables by the lines of a text: `NAME=value`, with empty lines and `#` comments left out. */
export function replaceConfig(needs: EditNeeds, name: string, text: string, ifMatch?: string): Promise<App> {
  const config = parseConfig(text)
  return editSpec(needs, name, ({ spec }) => withConfig(spec, config), ifMatch)
}

/** Deletes a reference variable, e.g. of an attached database. */
export function deleteEnv(needs: EditNeeds, name: string, variable: string, ifMatch?: string): Promise<App> {
  return editSpec(
    needs,
    name,
    ({ spec }) => ({ ...spec, env: spec.env.filter((entry) => entry.name !== variable) }),
    ifMatch,
  )
}

/** Sets which shared variables of the project the service uses; an empty list means all of its environment. */
export function saveSharedVariables(
  needs: EditNeeds,
  name: string,
  names: readonly string[],
  ifMatch?: string,
): Promise<App> {
  return editSpec(needs, name, ({ spec }) => ({ ...spec, sharedVariableRefs: [...new Set(names)].sort() }), ifMatch)
}

function withConfig(spec: AppSpec, configData: Record<string, string>): AppSpec {
  const hidden = spec.env.find((entry) => entry.name in configData && !(entry.name in spec.configData))
  if (hidden !== undefined) throw refuse(`${hidden.name} is a reference variable of this service; delete it first`)
  return { ...spec, configData }
}

function without(values: Record<string, string>, key: string): Record<string, string> {
  const { [key]: _, ...others } = values
  return others
}

/** Throws Problem invalid_request for a line without `=` or an invalid name; the refusal repeats no value. */
export function parseConfig(text: string): Record<string, string> {
  const config: Record<string, string> = {}
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const at = line.indexOf('=')
    if (at < 0) throw refuse(`line ${index + 1} must be NAME=value`)
    const name = line
      .slice(0, at)
      .trim()
      .replace(/^export\s+/, '')
    if (!variableName.test(name) || name.length > variableNameMax) throw refuse(refusals.variableName)
    config[name] = unquoted(line.slice(at + 1).trim())
  }
  return config
}

/** `"a b"` and `'a b'` as they are written in .env files. */
function unquoted(value: string): string {
  const quote = value[0]
  const quoted = value.length >= 2 && (quote === '"' || quote === "'") && value.endsWith(quote)
  return quoted ? value.slice(1, -1) : value
}
