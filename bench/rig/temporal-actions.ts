/** Counts what Temporal was asked to do, from its own metrics. */

/** Requests that change a workflow; polls and reads cost no action. */
const changing = [
  'StartWorkflowExecution',
  'SignalWithStartWorkflowExecution',
  'SignalWorkflowExecution',
  'RespondWorkflowTaskCompleted',
  'RespondActivityTaskCompleted',
  'RespondActivityTaskFailed',
  'RecordActivityTaskHeartbeat',
  'UpdateSchedule',
  'CreateSchedule',
]

/** Persisting changes of a workflow's state, of Temporal's history service. */
const persisting = [
  'CreateWorkflowExecution',
  'UpdateWorkflowExecution',
  'ConflictResolveWorkflowExecution',
  'SetWorkflowExecution',
]

export interface TemporalCounts {
  readonly actions: number
  /** Writes of workflow state to the database. */
  readonly writes: number
}

/**
 * Of all clients since the server started. Throws when the metrics hold no requests at all, so that a renamed metric is
 * no zero.
 */
export async function countTemporal(metricsUrl: string): Promise<TemporalCounts> {
  return countsOf(await (await fetch(metricsUrl)).text())
}

export const countActions = async (metricsUrl: string): Promise<number> => (await countTemporal(metricsUrl)).actions

/** From the text of the metrics. */
export function countsOf(text: string): TemporalCounts {
  const sum = (metric: string, service: string, operations: readonly string[]): number => {
    const samples = [...text.matchAll(new RegExp(`^${metric}(?:_total)?\\{([^}]*)\\} ([\\d.e+]+)$`, 'gm'))]
    if (samples.length === 0) throw new Error(`the metrics of Temporal have no ${metric}`)
    return samples
      .filter(
        ([, names = '']) =>
          names.includes(`service_name="${service}"`) &&
          operations.some((operation) => names.includes(`operation="${operation}"`)),
      )
      .reduce((total, [, , value]) => total + Number(value), 0)
  }
  return {
    actions: sum('service_requests', 'frontend', changing),
    writes: sum('persistence_requests', 'history', persisting),
  }
}
