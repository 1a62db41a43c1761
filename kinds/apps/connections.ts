/** What a service is connected to in its environment (docs/reference/projects.md#connections). */
import { namesOfHosts } from '../meta/copied-names.ts'
import { namespaceOf } from '../meta/namespaces.ts'
import { connectionSecretName } from '../secrets/connection-secret.ts'
import type { App } from './kind.ts'

/** One resource that a service is connected to, and the variables that refer to it. */
export interface Connection<Kind> {
  readonly kind: Kind
  readonly name: string
  readonly variables: readonly string[]
}

/**
 * Returns a function from a service to the resources of its environment that its saved settings refer to, in the order
 * of its variables: by a key of the connection Secret, or by the host in a plain value. `kinds` has every resource of
 * the environment by name; it is indexed once, for any number of services.
 */
export function connectionsAmong<Kind>(kinds: ReadonlyMap<string, Kind>): (app: App) => Connection<Kind>[] {
  const bySecret = new Map([...kinds.keys()].map((name) => [connectionSecretName(name), name]))
  return ({ metadata, spec }) => {
    const namespace = namespaceOf(spec.project, spec.environment)
    const namedIn = (text: string): string[] => namesOfHosts(text, namespace, kinds)
    const found = new Map<string, string[]>()
    const add = (variable: string, names: readonly (string | undefined)[]): void => {
      for (const name of names)
        if (name !== undefined && name !== metadata.name) found.set(name, [...(found.get(name) ?? []), variable])
    }
    for (const { name, value = '', valueFrom } of spec.env)
      add(name, valueFrom === undefined ? namedIn(value) : [bySecret.get(valueFrom.secretKeyRef.name)])
    for (const [name, value] of Object.entries(spec.configData)) add(name, namedIn(value))
    return [...found].flatMap(([name, variables]) => {
      const kind = kinds.get(name)
      return kind === undefined ? [] : [{ kind, name, variables }]
    })
  }
}
