/** Edits the outgoing webhooks of a project: settings in its record, signing secrets in Secrets of their own. */
import { randomBytes } from 'node:crypto'
import type { ClusterClient } from '../../cluster/client.ts'
import { webhooksPerProject } from '../../contract/limits.ts'
import { Problem, refuse } from '../../contract/problem.ts'
import type { WebhookEvent } from '../../contract/fields/words.ts'
import type { ProjectSpec } from '../../kinds/projects/kind.ts'
import { storedEvents, type Webhook } from '../../kinds/projects/webhooks.ts'
import { mintWebhookSecret, removeWebhookSecret, writeWebhookSecret } from '../secrets/webhook-secret.ts'
import { editProject, projectNotFound, type ProjectNeeds } from './edit-project.ts'

export interface WebhookNeeds extends ProjectNeeds {
  client: ClusterClient
  now: () => Date
}

/** Settings that are left out stay as they are; a new webhook is enabled and gets all events of deploys. */
export interface WebhookSettings {
  url?: string
  /** Empty means every event of deploys. */
  events?: readonly WebhookEvent[]
  disabled?: boolean
}

export const webhookNotFound = 'webhook not found'

const idBytes = 6

/**
 * The Secret is written before the record that refers to it: a crash in between leaves an unused Secret, which the
 * resync removes. Returns the signing secret, which is shown once. Throws Problem not_found, invalid_request.
 */
export async function createWebhook(
  needs: WebhookNeeds,
  name: string,
  { url, events = [], disabled = false }: WebhookSettings & { url: string },
  ifMatch?: string,
): Promise<{ id: string; secret: string }> {
  // This edit writes nothing: refusals come before the Secret is written.
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
    // The record was refused for certain; after any other error it may have the webhook.
    if (error instanceof Problem && error.code !== 'internal_error')
      await removeWebhookSecret(needs.client, project, id)
    throw error
  }
  return { id, secret }
}

/** Throws Problem not_found for an unknown webhook. */
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

/** The record first: its secret is unused from then on, and the resync removes it after a crash in between. */
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

/**
 * Once this returns, only the new secret signs deliveries. Also creates the secret of a webhook that was written with
 * kubectl.
 */
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

/** When the webhook is enabled or gets other events, only events from now on are delivered. */
function changed(
  known: Webhook,
  { url = known.url, events = known.events, disabled = known.disabled }: WebhookSettings,
  since: string,
): Webhook {
  const stored = storedEvents(events)
  const subscriptionWidened = (known.disabled && !disabled) || stored.join() !== known.events.join()
  return { ...known, url, events: stored, disabled, ...(subscriptionWidened ? { since } : {}) }
}
