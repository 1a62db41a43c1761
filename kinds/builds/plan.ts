/** The next action for the record of a build; the watch, the workflow and the resync share it. */
import { finalizers } from '../meta/annotations.ts'
import type { Build } from './kind.ts'
import { isFinished } from './phase.ts'

/** What a workflow needs to know of a build to act on it; plain and small, since it enters the history. */
export interface BuildPlan {
  /**
   * The action. `clean`: the build is over, and its Job has to be removed. `remove`: the record is being deleted, with
   * all objects made for it. Plans of the other kinds have an older name for this field, which recorded histories hold.
   */
  action: 'rest' | 'build' | 'clean' | 'remove'
  name: string
  uid: string
  attempt: string
  project: string
  environment: string
}

/** The plan of the build of this name, whether its record exists or not. */
export function planOfBuild(name: string, build: Build | undefined): BuildPlan {
  return {
    action: build === undefined ? 'rest' : actionOf(build),
    name,
    uid: build?.metadata.uid ?? '',
    attempt: build?.spec.attempt ?? '',
    project: build?.spec.project ?? '',
    environment: build?.spec.environment ?? '',
  }
}

function actionOf(build: Build): BuildPlan['action'] {
  const { deletionTimestamp, finalizers: held = [] } = build.metadata
  if (deletionTimestamp !== undefined) return held.includes(finalizers.build) ? 'remove' : 'rest'
  if (!isFinished(build)) return 'build'
  return build.status?.jobRef === undefined ? 'rest' : 'clean'
}
