/**
 * Whether any record still refers to the image of a build that is being deleted (docs/reference/builds.md#old-images).
 */
import type { Resource } from '../meta/resource.ts'
import type { Build } from './kind.ts'
import { isFinished } from './phase.ts'

/** All records that may refer to an image; they are searched as text. */
export interface Namers {
  builds: readonly Build[]
  apps: readonly (Named & { status?: { history?: unknown } | undefined })[]
  deployments: readonly (Named & { spec: { app: string } })[]
}

type Named = Pick<Resource<unknown, unknown>, 'metadata'>

/**
 * `open`: another build of the service is unfinished and may reuse the image for an unchanged commit. Digests and tags
 * are searched in whole records: a service of any project may run the image by name, and two builds may have made the
 * same one.
 */
export function whoNames(build: Build, { builds, apps, deployments }: Namers): 'open' | 'named' | 'none' {
  const others = builds.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  if (others.some((other) => other.spec.app === build.spec.app && !isFinished(other))) return 'open'
  const going = apps.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
  const gone = new Set(going.map(({ metadata }) => metadata.name))
  const isGone = (app: string) => gone.has(app) || (app === build.spec.app && !apps.some((each) => isIt(each, app)))
  const namers = [
    ...others,
    // An image that ran before, and that a rollback may run again, is named by the record of its deploy.
    ...apps
      .filter(({ metadata }) => !gone.has(metadata.name))
      .map((app) => ({ ...app, status: { ...app.status, history: undefined } })),
    ...deployments.filter(({ metadata, spec }) => metadata.deletionTimestamp === undefined && !isGone(spec.app)),
  ]
  const { image = '', imageDigest = '' } = build.status ?? {}
  const isNamed = namers.some((record) => {
    const text = JSON.stringify(record)
    return text.includes(imageDigest) || text.includes(`${image}"`)
  })
  return isNamed ? 'named' : 'none'
}

const isIt = ({ metadata }: Named, name: string): boolean => metadata.name === name

/** The builds that are deleted with their deploys: all but those of kept deploys, and the one whose image runs. */
export function withoutDeploy(
  builds: readonly Build[],
  kept: ReadonlySet<string | undefined>,
  runs: string | undefined,
): Build[] {
  return builds.filter(
    ({ spec, status }) =>
      !kept.has(spec.attempt) &&
      (status?.imageDigest === undefined || runs?.endsWith(`@${status.imageDigest}`) !== true),
  )
}
