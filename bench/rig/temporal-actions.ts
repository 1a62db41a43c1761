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

/**
 * Of all clients since the server started. Throws when the metrics hold no requests at all, so that a renamed metric is
 * no zero.
 */
export async function countActions(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  const samples = [...text.matchAll(/^service_requests(?:_total)?\{([^}]*)\} ([\d.e+]+)$/gm)]
  if (samples.length === 0) throw new Error('the metrics of Temporal name no requests')
  return samples
    .filter(
      ([, names = '']) =>
        /service_name="frontend"/.test(names) &&
        changing.some((operation) => names.includes(`operation="${operation}"`)),
    )
    .reduce((sum, [, , value]) => sum + Number(value), 0)
}
