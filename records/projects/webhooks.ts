/** Edits the outgoing webhooks of a project: settings in its record, signing secrets in Secrets of their own. */
import { randomBytes } from 'node:crypto'
import type { ClusterClient } from '../../cluster/client.ts'
import { webhooksPerProject } from '../../contract/limits.ts'
import { Problem, refuse } from '../../contract/problem.ts'
import type { WebhookEvent } from '../../contract/webhook-events.ts'
import type { ProjectSpec } from '../../kinds/projects/kind.ts'
import { storedEvents, type Webhook } from '../../kinds/projects/webhooks.ts'
import { mintWebhookSecret, removeWebhookSecret, writeWebhookSecret } from '../secrets/webhook-secret.ts'
import { editProject, projectNotFound, type ProjectNeeds } from './edit-project.ts'

export interface WebhookNeeds extends ProjectNeeds {
  client: ClusterClient
  now: () => Date
}

/** What is left out stays as it is; for a new one, every event of deploys and enabled. */
export interface WebhookSettings {
  url?: string
  /** Empty means every one of deploys. */
  events?: readonly WebhookEvent[]
  disabled?: boolean
}

export const webhookNotFound = 'webhook not found'

const idBytes = 6

/**
 * The Secret before the record that makes it count: dying in between leaves an unused one, which the resync sweeps.
 * Returns the secret, which is shown once. Throws Problem not_found, invalid_request.
 */
export async function createWebhook(
  needs: WebhookNeeds,
  name: string,
  { url, events = [], disabled = false }: WebhookSettings & { url: string },
  ifMatch?: string,
): Promise<{ id: string; secret: string }> {
  // Writes nothing: what is refused should be refused before there is a Secret.
  const project = await editProject(
    needs,
    name,
    ({ spec }) => {
      refuseTooMany(spec)
      return spec
    },
    ifMatch,
  )
  const id = randomBytes(idBytes).toString('hex')
  const hook: Webhook = {
    id,
    url,
    events: storedEvents(events),
    disabled,
    since: needs.now().toISOString(),
  }
  const secret = mintWebhookSecret()
  await writeWebhookSecret(needs.client, project, id, secret)
  try {
    await editProject(
      needs,
      name,
      ({ spec }) => {
        if (spec.webhooks.some((each) => each.id === id)) return spec
        refuseTooMany(spec)
        return { ...spec, webhooks: [...spec.webhooks, hook] }
      },
      ifMatch,
    )
  } catch (error) {
    // Refused for sure; after anything else the record may hold it.
    if (error instanceof Problem && error.code !== 'internal_error')
      await removeWebhookSecret(needs.client, project, id)
    throw error
  }
  return { id, secret }
}

/** Throws Problem not_found for a webhook that is not there. */
export async function changeWebhook(
  needs: WebhookNeeds,
  name: string,
  id: string,
  settings: WebhookSettings,
  ifMatch?: string,
): Promise<void> {
  const since = needs.now().toISOString()
  await editProject(
    needs,
    name,
    ({ spec }) => {
      const known = webhookIn(spec, id)
      return {
        ...spec,
        webhooks: spec.webhooks.map((each) => (each === known ? changed(known, settings, since) : each)),
      }
    },
    ifMatch,
  )
}

/** The record first: its secret is of no use from then on, and swept if this dies in between. */
export async function deleteWebhook(needs: WebhookNeeds, name: string, id: string, ifMatch?: string): Promise<void> {
  let there = false
  const project = await editProject(
    needs,
    name,
    ({ spec }) => {
      there ||= spec.webhooks.some((each) => each.id === id)
      if (!there) throw new Problem('not_found', webhookNotFound)
      return { ...spec, webhooks: spec.webhooks.filter((each) => each.id !== id) }
    },
    ifMatch,
  )
  await removeWebhookSecret(needs.client, project, id)
}

/** From its answer on only the new secret signs; also makes one for a webhook that was written past the api. */
export async function rotateWebhook(needs: WebhookNeeds, name: string, id: string): Promise<string> {
  const project = await needs.projects.readLive(name)
  if (project === undefined) throw new Problem('not_found', projectNotFound)
  const { id: known } = webhookIn(project.spec, id)
  const secret = mintWebhookSecret()
  await writeWebhookSecret(needs.client, project, known, secret)
  return secret
}

/** @throws Problem not_found */
export function webhookIn({ webhooks }: ProjectSpec, id: string): Webhook {
  const hook = webhooks.find((each) => each.id === id)
  if (hook === undefined) throw new Problem('not_found', webhookNotFound)
  return hook
}

function refuseTooMany({ webhooks }: ProjectSpec): void {
  if (webhooks.length >= webhooksPerProject) throw refuse(`a project can have at most ${webhooksPerProject} webhooks`)
}

/** Events that it did not receive so far count from now on. */
function changed(
  known: Webhook,
  { url = known.url, events = known.events, disabled = known.disabled }: WebhookSettings,
  since: string,
): Webhook {
  const stored = storedEvents(events)
  const subscriptionWidened = (known.disabled && !disabled) || stored.join() !== known.events.join()
  return { ...known, url, events: stored, disabled, ...(subscriptionWidened ? { since } : {}) }
}
