/** What a run is about: the record that it works on, or the one that its build, backup, delivery or call belongs to. */
import type { View } from '../../contract/operations.ts'

/** A record that has a page; `build` and `backup` are read first to know whose they are. */
export type Subject =
  | { readonly of: 'app' | 'database' | 'logical-database' | 'object-store' | 'project'; readonly name: string }
  | { readonly of: 'build'; readonly name: string }
  | { readonly of: 'backup'; readonly name: string }
  | { readonly of: 'settings'; readonly section: 'clouds' | 'domain' | 'githost' }
  | { readonly of: 'pull-requests'; readonly project: string }

type About = Pick<View<'runs.list'>['items'][number], 'kind' | 'workflow' | 'resource' | 'action'>

/** Undefined for a run of a kind that has no page. */
export function subjectOf({ kind, workflow, resource, action }: About): Subject | undefined {
  switch (kind) {
    case 'app':
    case 'database':
    case 'logical-database':
    case 'object-store':
    case 'project':
      return { of: kind, name: resource }
    case 'build':
      return { of: 'build', name: resource }
    case 'backup':
      return { of: 'backup', name: resource }
    case 'function':
      return { of: 'app', name: resource.split('/')[0] ?? '' }
    case 'webhook':
      // The other events are of deploys.
      return { of: action === 'backup.failed' ? 'database' : 'app', name: resource }
    case 'githost':
      // A push that the git host's app delivered is about every service that builds the repository.
      return /^githost\/(push|report)\//.test(workflow)
        ? { of: 'app', name: resource }
        : { of: 'settings', section: 'githost' }
    case 'pr':
      return { of: 'pull-requests', project: workflow.split('/')[1] ?? '' }
    case 'cloud-connection':
      return { of: 'settings', section: 'clouds' }
    case 'platform':
      return { of: 'settings', section: 'domain' }
    default:
      return undefined
  }
}

/**
 * The service of a build, of those there are: a build has the name of its deploy, which is the service's with five
 * characters, and five more where it was tried again.
 */
export const serviceOf = (build: string, services: readonly string[]): string | undefined =>
  [/-[^-]{5}$/, /-[^-]{5}-[^-]{5}$/]
    .map((suffix) => build.replace(suffix, ''))
    .find((name) => name !== build && services.includes(name))
