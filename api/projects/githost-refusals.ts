/** Why nothing can be done with a git host: no app of one is set up, or what would use it is not there yet. */
import { type Problem, refuse } from '../../contract/problem.ts'
import type { Needs } from '../context/needs.ts'

export function gitHostRefusal({ caches }: Needs): Problem {
  const app = caches.platformConfig.list()[0]?.spec.githubAppRef
  if (app === undefined) return refuse('no git-host app is set up; save one in the platform settings first')
  return refuse('projects cannot be connected to a git host yet')
}
