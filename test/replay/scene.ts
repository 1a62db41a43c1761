/** What a path through the workflows acts on. */
import type { Project } from '../../kinds/projects/kind.ts'
import type { GitHubServer } from '../harness/github.ts'
import type { TestRecords } from '../harness/records.ts'

export interface Scene {
  records: TestRecords
  /** A project that is ready. */
  project: Project
  /** What the worker takes for GitHub. */
  github: GitHubServer
  /** Resolves when no run of this id is open, so that the next action begins a new run. */
  rest(id: string): Promise<void>
  /** Starts a resync now. */
  resync(): Promise<void>
}

/** Resolves with the id of the workflow whose longest run since the last `rest` is the path. */
export type Path = (scene: Scene) => Promise<string>
