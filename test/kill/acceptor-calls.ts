/** The messages between a driver and a process that accepts operations. */
import type { AppSpec } from '../../kinds/apps/kind.ts'

export type Trigger = NonNullable<AppSpec['source']['function']>['triggers'][number]

/** One request of a caller; it can be repeated after a lost answer without harm. */
export type Call =
  | { verb: 'create'; name: string; project: string; image: string; replicas: number; config: Record<string, string> }
  /** Saves image and variables without a deploy. */
  | { verb: 'save'; name: string; image: string; config: Record<string, string> }
  /** Saves the code of a function, and its schedules, without a deploy. */
  | { verb: 'save-function'; name: string; code: string; triggers: readonly Trigger[] }
  | { verb: 'set-secret'; name: string; key: string; value: string }
  | { verb: 'deploy'; name: string; record: string }
  | { verb: 'rollback'; name: string; revision: string; requestId: string }
  | { verb: 'scale'; name: string; replicas: number }
  | { verb: 'delete'; name: string }
  /** Of a database; the answer names the backup. */
  | { verb: 'backup'; name: string }
  /** Of this backup into a new database. */
  | { verb: 'restore'; name: string }
  | { verb: 'delete-backup'; name: string }
  | { verb: 'delete-database'; name: string; backupFirst: boolean }
  /** Events of the git host. */
  | { verb: 'deliver'; event: 'push' | 'pull_request'; delivery: string; body: object }

export interface Asked {
  id: number
  call: Call
}

export type Answer =
  /** `attempt` is the attempt of a service or the name of a backup, where there is one. */
  | { id: number; outcome: 'accepted'; attempt: string }
  /** Refused as a mistake of the caller, with the message to show. */
  | { id: number; outcome: 'refused'; message: string }
  /** The answer was lost: the effect may or may not have happened. */
  | { id: number; outcome: 'unanswered'; message: string }
