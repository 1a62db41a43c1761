/** What a run does next with a service, and what it has to know of the record for that. */

/** Histories of workflows have these words, so they stay. */
export type ReconcileAction =
  /** Nothing to do. */
  | 'rest'
  /**
   * Deploy an external edit: a deployed service without pending changes was edited with kubectl
   * (docs/reference/deployments.md#edits-by-kubectl).
   */
  | 'adopt'
  /** An accepted attempt has not ended, or is to be run again. */
  | 'deploy'
  /**
   * Record an external edit: a service with pending changes was edited with kubectl, and the edit is added to them
   * (docs/reference/deployments.md#edits-by-kubectl).
   */
  | 'note'
  /** Only live settings changed, or objects of the service are missing. */
  | 'reconcile'
  /** Roll back: a deploy failed and the service wants its last working release again. */
  | 'putBack'
  /** Undeploy: `deploy.enabled` is false again. The objects are removed and the record stays. */
  | 'withdraw'
  | 'remove'

/** What a workflow needs to know of a record to act on it; plain and small, since it enters the history. */
export interface Plan {
  /** The action; recorded histories hold it by this name, so the name stays. */
  story: ReconcileAction
  name: string
  uid: string
  intent: string
  /** Id of the current attempt, '' when there is none. */
  attempt: string
  operation: string
  project: string
  environment: string
  actor: string
  /**
   * When a worker started the attempt, milliseconds since 1970; 0 before that. The deadline counts from here, also
   * after a restart: an attempt that was accepted while no worker ran has its whole time, and so has a retry.
   */
  startedAt: number
}

/** The plan of a record that is gone. */
export function restingPlan(name: string): Plan {
  return {
    story: 'rest',
    name,
    uid: '',
    intent: '',
    attempt: '',
    operation: '',
    project: '',
    environment: '',
    actor: '',
    startedAt: 0,
  }
}
