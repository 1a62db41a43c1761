/** What a driver asks a process that accepts operations, and what it answers. */

/** One request of a caller; repeating it after a lost answer is harmless. */
export type Call =
  | { verb: 'create'; name: string; project: string; image: string; replicas: number; config: Record<string, string> }
  /** Saves image and variables, undeployed. */
  | { verb: 'save'; name: string; image: string; config: Record<string, string> }
  | { verb: 'set-secret'; name: string; key: string; value: string }
  | { verb: 'deploy'; name: string; record: string }
  | { verb: 'rollback'; name: string; revision: string; requestId: string }
  | { verb: 'scale'; name: string; replicas: number }
  | { verb: 'delete'; name: string }

export interface Asked {
  id: number
  call: Call
}

export type Answer =
  | { id: number; outcome: 'accepted'; attempt: string }
  /** A refusal in words: the caller's mistake. */
  | { id: number; outcome: 'refused'; message: string }
  /** Whether it happened is not known. */
  | { id: number; outcome: 'unanswered'; message: string }
