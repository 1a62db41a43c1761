/** Image references: their parts, and the digest that a release is frozen with. */
import { defined } from '../../../contract/defined.ts'
import type { AppSpec, AppStatus } from '../kind.ts'

export interface ImageReference {
  /** Host and port as written; `docker.io` when none is. */
  registry: string
  /** Path inside the registry, with `library/` filled in for Docker's own images. */
  repository: string
  tag: string
  /** `sha256:…` when the reference has one: it names the same image for ever. */
  digest?: string
}

const dockerHub = 'docker.io'
/** Path components of the OCI distribution specification. */
const repositoryPattern = /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$/

/**
 * The parts of a reference such as `nginx`, `ghcr.io/acme/web:2` or `localhost:5000/web@sha256:…`; undefined for a text
 * that is no reference.
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

export type FrozenImage = NonNullable<AppStatus['frozenImage']>

/** The image in the spec; '' for a function, and for a git service, whose image is built. */
export const imageOf = ({ source }: AppSpec): string => source.image?.image ?? ''

/** Whether `image` is `reference`, with a digest or without. */
export function namesImage(reference: string, image: string): boolean {
  return image === reference || (image.startsWith(`${reference}@`) && digestIn(image) !== '')
}

/** The spec with the image that the copies run (`image` of kinds/apps/view.ts); a function names none. */
export function withImage(spec: AppSpec, image: string): AppSpec {
  if (spec.source.function !== undefined || image === '') return spec
  return { ...spec, source: { image: { ...spec.source.image, image } } }
}
