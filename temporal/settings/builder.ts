/** Images and limits of builds, from environment variables. */
import type { Policy } from '../../durable/policy.ts'
import type { CheckLimits } from '../../kinds/builds/checks.ts'
import { type BaseImages, standardBases } from '../../kinds/builds/dockerfiles.ts'
import type { BuilderSettings } from '../../kinds/builds/job.ts'
import { createImageRemover, type ImageRemover } from '../../outside/registry/remove-image.ts'
import { defined } from '../../contract/defined.ts'
import { authoritiesIn } from './authorities.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * SVC_BUILDER_IMAGE; SVC_BUILD_CPU, SVC_BUILD_MEMORY and SVC_BUILD_DISK of one build; SVC_BUILDS_AT_ONCE;
 * SVC_BUILD_MINUTES; SVC_BUILD_REGISTRY, where images are pushed while nothing else is set; SVC_BUILD_PLAIN_REGISTRIES,
 * `host:port` of those without TLS, separated by commas; SVC_BUILD_MIRROR, `host:port` that docker.io is read from;
 * SVC_BUILD_GIT_CA, the authorities that git trusts besides the usual ones; SVC_BUILD_BASES, JSON with the images that
 * generated Dockerfiles begin with; SVC_BUILD_BUILDPACKS, a builder image of Cloud Native Buildpacks,
 * SVC_BUILD_BUILDPACKS_USER where it names its user by a word, and SVC_BUILD_BUILDPACKS_RUN_IMAGE in the place of the
 * run image that it names. Throws a sentence for a wrong value.
 */
export function builderSettings(env: Env): BuilderSettings {
  const text = (name: string): string | undefined => env[name] || undefined
  return {
    image: text('SVC_BUILDER_IMAGE') ?? '',
    cpu: text('SVC_BUILD_CPU') ?? '2',
    memory: text('SVC_BUILD_MEMORY') ?? '4Gi',
    disk: text('SVC_BUILD_DISK') ?? '20Gi',
    atOnce: wholeNumber(env, 'SVC_BUILDS_AT_ONCE', 2),
    deadlineSeconds: wholeNumber(env, 'SVC_BUILD_MINUTES', 30) * 60,
    plainRegistries: plainRegistries(env),
    mirror: text('SVC_BUILD_MIRROR'),
    destination: text('SVC_BUILD_REGISTRY'),
    gitAuthorities: authoritiesIn(text('SVC_BUILD_GIT_CA')),
    bases: { ...standardBases, ...basesIn(text('SVC_BUILD_BASES')) },
    buildpacks: buildpacksIn(env),
  }
}

function buildpacksIn(env: Env): BuilderSettings['buildpacks'] {
  const image = env['SVC_BUILD_BUILDPACKS'] || undefined
  const user = env['SVC_BUILD_BUILDPACKS_USER'] || undefined
  const [, uid, gid] = /^([1-9]\d{0,8}):(\d{1,9})$/.exec(user ?? '') ?? []
  if (user !== undefined && uid === undefined)
    throw new Error('SVC_BUILD_BUILDPACKS_USER must be two numbers such as 1001:1000, of which the first is not 0')
  if (image === undefined) return undefined
  return {
    image,
    user: uid === undefined ? undefined : { runAsUser: Number(uid), runAsGroup: Number(gid) },
    runImage: env['SVC_BUILD_BUILDPACKS_RUN_IMAGE'] ?? '',
  }
}

/**
 * SVC_BUILD_OLD_IMAGES=remove removes the images of deleted builds from the registries that they were pushed to; by
 * default (`keep`) they stay. Throws a sentence for another value.
 */
export function imageRemoverOf(env: Env): ImageRemover | undefined {
  const policy = env['SVC_BUILD_OLD_IMAGES'] || 'keep'
  if (policy !== 'keep' && policy !== 'remove') throw new Error('SVC_BUILD_OLD_IMAGES must be keep or remove')
  if (policy === 'keep') return undefined
  return createImageRemover({ plain: plainRegistries(env), privately: env['SVC_REGISTRY_PRIVATE'] ?? '' })
}

const plainRegistries = (env: Env): string[] =>
  (env['SVC_BUILD_PLAIN_REGISTRIES'] ?? '').split(',').filter((host) => host !== '')

export const checkLimits = (policy: Policy): CheckLimits => ({
  lookMs: policy.ciLookMs,
  newsMs: policy.ciNewsMs,
  moreChecksMs: policy.ciSettleMs,
  missingMs: policy.ciMissingMs,
  endMs: policy.ciEndMs,
})

function wholeNumber(env: Env, name: string, usual: number): number {
  const text = env[name] || String(usual)
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`${name} must be a whole number from 1`)
  return Number(text)
}

function basesIn(text: string | undefined): Partial<BaseImages> {
  if (text === undefined) return {}
  const names = Object.keys(standardBases) as (keyof BaseImages)[]
  const given: unknown = JSON.parse(text)
  if (
    typeof given !== 'object' ||
    given === null ||
    Object.keys(given).some((key) => !(names as string[]).includes(key))
  )
    throw new Error(`SVC_BUILD_BASES must be JSON with ${names.join(', ')}`)
  const values = given as Partial<Record<keyof BaseImages, string>>
  return Object.fromEntries(names.flatMap((name) => Object.entries(defined({ [name]: values[name] }))))
}
