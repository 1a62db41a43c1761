/** Image references: which registry they name, what is asked of it, and the form that a moved tag cannot change. */
import { defined } from '../../contract/defined.ts'

export interface ImageReference {
  /** Host and port as written; `docker.io` when none is. */
  registry: string
  /** Path inside the registry, with `library/` filled in for Docker's own images. */
  repository: string
  tag: string
  /** `sha256:…` when the reference has one: it names one image for ever. */
  digest?: string
}

const dockerHub = 'docker.io'
/** Path components of the OCI distribution specification. */
const repositoryPattern = /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$/

/**
 * The parts of a reference such as `nginx`, `ghcr.io/acme/web:2` or `localhost:5000/web@sha256:…`; undefined for what
 * is none.
 */
export function parseImage(reference: string): ImageReference | undefined {
  const match = /^([^@\s]+?)(?::([A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(reference)
  const [, name = '', tag = 'latest', digest] = match ?? []
  const slash = name.indexOf('/')
  const first = slash < 0 ? '' : name.slice(0, slash)
  const named = first === 'localhost' || /[.:]/.test(first)
  const registry = named ? first : dockerHub
  const path = named ? name.slice(slash + 1) : name
  if (!repositoryPattern.test(path)) return undefined
  const repository = registry === dockerHub && !path.includes('/') ? `library/${path}` : path
  return { registry, repository, tag, ...defined({ digest }) }
}

/** `svc/hello:1@sha256:…`: the tag stays readable, the digest decides. */
export function pinnedTo(reference: string, digest: string): string {
  return `${reference}@${digest}`
}

/** The digest of a reference, '' without one. */
export function digestIn(reference: string): string {
  return /@(sha256:[0-9a-f]{64})$/.exec(reference)?.[1] ?? ''
}
