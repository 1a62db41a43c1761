/** Arguments that several tools take; rules beyond their shape are the service's. */
import { z } from 'zod'
import { missingPlace, type Place } from '../../client/places.ts'
import { wholeNumber } from '../../contract/fields/fields.ts'
import { agentWaitSeconds, objectNameMax } from '../../contract/limits.ts'
import { ToolError, type ToolCall } from './tool.ts'

const named = (what: string) =>
  z
    .string()
    .min(1)
    // Longer than most names may be: the service says which rule a name breaks.
    .max(objectNameMax)
    // Half a character cannot be part of a URL.
    .refine((text) => text.isWellFormed(), { error: 'must be a well-formed text' })
    .describe(what)

export const appName = () => named('Name of the service, as list_apps shows it.')
export const projectId = () => named('ID of the project, such as proj-1a2b3c4d, as list_projects shows it.')
export const environmentName = () => named('Environment of the project, such as production.')
export const resourceName = (what: string) => named(what)

/** Which project and environment a list is about. */
export const ownerFilter = {
  project: projectId().optional(),
  environment: environmentName().optional(),
}

/** The items of a place. @throws ToolError where there are none because the place does not exist. */
export async function itemsOf<Item>(
  place: Place,
  { client, signal }: ToolCall,
  { items }: { items: Item[] },
): Promise<{ items: Item[] }> {
  const missing = items.length > 0 ? undefined : await missingPlace(client, place, signal)
  if (missing !== undefined) throw new ToolError(missing, true)
  return { items }
}

export const waitArguments = {
  wait: z
    .boolean()
    .default(false)
    .describe('Wait until the deploy is complete or has failed; else return once it is accepted.'),
  timeout_seconds: wholeNumber('timeout_seconds', agentWaitSeconds.min, agentWaitSeconds.max)
    .default(agentWaitSeconds.default)
    .describe('With wait: how long to wait. The deploy goes on after it.'),
}
