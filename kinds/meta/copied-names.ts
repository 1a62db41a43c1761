/** The names of copies of records in another environment of their project, and texts that refer to the originals. */
import { workloadNameMax } from '../../contract/limits.ts'
import { projectIdText } from '../../contract/fields/patterns.ts'
import { digest } from './digest.ts'
import { namespaceOf } from './namespaces.ts'

/** The environment that is copied, and the one that it is copied to. */
export interface CopyPlace {
  project: string
  /** The environment that is copied. */
  base: string
  environment: string
  /** Names of the copies, by the names of the services, databases and buckets that they are copies of. */
  names: ReadonlyMap<string, string>
}

/** `shop-pr-7`; a name that is too long is cut and gets a digest. The same for every call. */
export function copyName(name: string, environment: string): string {
  const whole = `${name}-${environment}`
  if (whole.length <= workloadNameMax) return whole
  const end = `-${digest(name).slice(0, 8)}-${environment}`
  return `${name.slice(0, Math.max(1, workloadNameMax - end.length)).replace(/-+$/, '')}${end}`
}

/**
 * The text with the hosts of the originals replaced by those of their copies. Only a host of an address counts: after
 * `//` or `@`, or before a port or the name of the namespace. A bare word stays, since it may mean anything.
 */
export function withHostsOfCopies(text: string, { project, base, environment, names }: CopyPlace): string {
  const own = namespaceOf(project, base)
  return text.replace(hostForm, (whole, before: string, host: string, namespace: string = '', port: string = '') => {
    const name = nameOfHost(names, host)
    if (name === undefined || !isHostIn(own, { before, namespace, port })) return whole
    const copy = `${names.get(name)}${host.slice(name.length)}`
    return `${before}${copy}${namespace === '' ? '' : `.${namespaceOf(project, environment)}`}${port}`
  })
}

/** The names that occur in the text as hosts of the namespace, each once; see `withHostsOfCopies`. */
export function namesOfHosts(text: string, namespace: string, names: ReadonlyMap<string, unknown>): string[] {
  const found = [...text.matchAll(hostForm)].flatMap(([, before = '', host = '', its = '', port = '']) =>
    isHostIn(namespace, { before, namespace: its, port }) ? [nameOfHost(names, host)] : [],
  )
  return [...new Set(found)].filter((name) => name !== undefined)
}

/** Whether a match of `hostForm` is the host of an address in this namespace. */
const isHostIn = (own: string, { before, namespace, port }: { before: string; namespace: string; port: string }) =>
  (before !== '' || namespace !== '' || port !== '') && (namespace === '' || namespace === own)

/** A host of one label, or of one label and the namespace of an environment; never the first label of a public host. */
const hostForm = new RegExp(
  `(//|@|(?<![\\w./-]))([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)(?![\\w-])(?:\\.(${projectIdText}-[-a-z0-9]+)|(?!\\.))(:\\d+)?`,
  'g',
)

/** The resource with this host; a postgres server has the hosts `<name>-rw`, `-ro` and `-r`, too. */
function nameOfHost(names: ReadonlyMap<string, unknown>, host: string): string | undefined {
  return [host, host.replace(/-(rw|ro|r)$/, '')].find((name) => names.has(name))
}
