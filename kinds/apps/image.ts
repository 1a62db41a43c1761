/**
 * The image of a service: the one that it names, and the one that a release was frozen with, which is what its tag
 * meant when the attempt began, whatever the tag means today (docs/reference/deployments.md#releases).
 */

import { digestIn } from './image-reference.ts'
import type { AppSpec, AppStatus } from './kind.ts'
import type { ServiceView } from './view.ts'

export type FrozenImage = NonNullable<AppStatus['frozenImage']>

/** The image a service names; '' for a function, and while a git service has not been built. */
export const imageOf = ({ source }: AppSpec): string => source.image?.image ?? ''

/** Whether `image` is `reference`, with a digest or without. */
export function namesImage(reference: string, image: string): boolean {
  return image === reference || (image.startsWith(`${reference}@`) && digestIn(image) !== '')
}

/**
 * What was frozen for the current attempt; undefined before that, and for references that name a digest themselves.
 */
export function frozenImageOf({ app, attempt }: ServiceView): FrozenImage | undefined {
  const frozen = app.status?.frozenImage
  return frozen !== undefined && attempt !== undefined && frozen.attempt === attempt.record ? frozen : undefined
}

/** The spec as its copies run it. */
export function withFrozenImage(view: ServiceView, spec: AppSpec): AppSpec {
  const { image, git } = spec.source
  const frozen = frozenImageOf(view)
  if (git !== undefined && frozen !== undefined) return { ...spec, source: { image: { image: frozen.image } } }
  if (image === undefined || frozen === undefined || !namesImage(image.image, frozen.image)) return spec
  return { ...spec, source: { image: { ...image, image: frozen.image } } }
}

/** The image that the copies run; '' where it is not decided yet. */
export function runImageOf(view: ServiceView, spec: AppSpec): string {
  if (spec.source.function !== undefined) return frozenImageOf(view)?.image ?? ''
  return imageOf(withFrozenImage(view, spec))
}

/** How the log of an attempt says it. */
export function frozenImageStep({ image, note }: FrozenImage): string {
  const digest = digestIn(image)
  if (digest === '') return `image ${image} is taken by its tag: ${note ?? 'its digest is not known'}`
  return `image ${image.slice(0, -digest.length - 1)} is ${digest}${note === undefined ? '' : ` (${note})`}`
}
