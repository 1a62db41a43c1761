/**
 * A service as it is copied into the environment of a pull request
 * (docs/reference/projects.md#what-is-copied).
 */
import { dnsLabelMax } from '../../../contract/limits.ts'
import { valueAt } from '../../../contract/fields/value-at.ts'
import { type CopyPlace, withHostsOfCopies } from '../../meta/copied-names.ts'
import { connectionSecretName } from '../../secrets/connection-secret.ts'
import type { App, AppSpec } from '../kind.ts'
import { draftSecretName } from '../names.ts'
import { viewOf } from '../view.ts'

export interface AppCopy {
  spec: AppSpec
  /** What of the original the copy goes without, each with the reason; names only, no values. */
  left: string[]
}

interface Wanted {
  /**
   * The commit to build; undefined where the pull request is of another repository: the copy runs the image of the
   * original.
   */
  commit: string | undefined
  /** Whether the copy gets the secret variables and the repository login of the original; false for a fork. */
  secrets: boolean
}

/** Undefined for a service that cannot be copied: it was never deployed, or no image of it is known. */
export function copyOfApp(app: App, place: CopyPlace, { commit, secrets }: Wanted): AppCopy | undefined {
  const base = viewOf(app).effectiveSpec
  const source = base === undefined ? undefined : sourceOf(base, app.status?.image, commit, secrets)
  if (base === undefined || source === undefined) return undefined
  const { autoscaling: _, secretRef = { name: draftSecretName(app.metadata.name) }, build, ...kept } = base
  const buildVariables = (build?.variables ?? []).filter((name) => secrets || isPlain(base, name))
  const connections = new Map([...place.names].map((pair) => pair.map(connectionSecretName) as [string, string]))
  const hosts = (text: string): string => withHostsOfCopies(text, place)
  const env = base.env.flatMap((entry): AppSpec['env'] => {
    const { valueFrom, value } = entry
    if (valueFrom === undefined) return [value === undefined ? entry : { ...entry, value: hosts(value) }]
    const name = connections.get(valueFrom.secretKeyRef.name)
    return name === undefined ? [] : [{ ...entry, valueFrom: { secretKeyRef: { ...valueFrom.secretKeyRef, name } } }]
  })
  const missing = base.env.filter(({ name }) => !env.some((each) => each.name === name)).map(({ name }) => name)
  const spec: AppSpec = {
    ...kept,
    environment: place.environment,
    source,
    replicas: Math.min(1, base.replicas),
    ingress: {
      ...base.ingress,
      host: ownHost(base.ingress.host, place.environment),
      rules: base.ingress.rules.flatMap((rule) => {
        const host = ownHost(rule.host, place.environment)
        return host === '' ? [] : [{ ...rule, host }]
      }),
    },
    env,
    envFrom: [],
    configData: Object.fromEntries(Object.entries(base.configData).map(([name, value]) => [name, hosts(value)])),
    deploy: { ...base.deploy, enabled: false },
    ...(secrets ? { secretRef } : {}),
    ...(build === undefined ? {} : { build: withVariables(build, buildVariables) }),
  }
  return { spec, left: leftOf(missing, base) }
}

/** Whether the variable has a value without the secrets of the original. */
const isPlain = ({ configData, env }: AppSpec, name: string): boolean =>
  valueAt(configData, name) !== undefined || env.some((entry) => entry.name === name && entry.valueFrom === undefined)

function withVariables({ variables: _, ...build }: NonNullable<AppSpec['build']>, names: string[]): AppSpec['build'] {
  return names.length === 0 ? build : { ...build, variables: names }
}

function leftOf(variables: readonly string[], { envFrom, volume }: AppSpec): string[] {
  return [
    ...variables.map((name) => `the variable ${name}: what it refers to is not copied`),
    ...(envFrom.length === 0 ? [] : ['variables taken whole from a Secret or ConfigMap: it is not copied']),
    ...(volume === undefined ? [] : ['the data of its volume: its own begins empty']),
  ]
}

function sourceOf(
  { source: { git, image, function: fn } }: AppSpec,
  running: string | undefined,
  commit: string | undefined,
  secrets: boolean,
): AppSpec['source'] | undefined {
  if (fn !== undefined) return { function: { ...fn, triggers: [] } }
  if (image !== undefined) return { image: { ...image, image: running ?? image.image } }
  if (git === undefined) return undefined
  if (commit === undefined) return running === undefined ? undefined : { image: { image: running } }
  const { connectionRef, ...repository } = git
  return { git: { ...repository, commit, ...(secrets && connectionRef !== undefined ? { connectionRef } : {}) } }
}

/** `pr-7-shop.example.com`; '' where the first label would be too long: the platform then gives a host. */
function ownHost(host: string, environment: string): string {
  const [label = ''] = host.split('.', 1)
  return host === '' || environment.length + 1 + label.length > dnsLabelMax ? '' : `${environment}-${host}`
}

/** The same service at another commit of the pull request. */
export function atCommit(spec: AppSpec, commit: string): AppSpec {
  const { git } = spec.source
  return git === undefined ? spec : { ...spec, source: { git: { ...git, commit } } }
}
