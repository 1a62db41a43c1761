/**
 * The Secret with the secret variables of a service that the next deploy freezes: read under the name in the record,
 * written under its own name only.
 */
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { refuse } from '../../contract/problem.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { draftSecretName } from '../../kinds/apps/names.ts'
import {
  anyOf,
  isHandMadeFor,
  isLeftBy,
  isMadeFor,
  isMadeIn,
  secretPurposes,
  type SecretRule,
} from '../../kinds/secrets/named-secret.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { type OpenPullRequest, pullRequestIn } from '../../kinds/projects/pull-requests.ts'
import { findNamedSecret } from '../secrets/named-secret.ts'

/** Base64 values by name, as a Secret holds them. */
export type Values = Readonly<Record<string, string>>

export interface VariablesSecret {
  values: Values
  /** The Secret that a write replaces: the service's own, or one that an earlier service of its name left. */
  current: { metadata: Sent<V1Secret>['metadata'] } | undefined
}

/**
 * The values, read live. Throws Problem invalid_request when the record refers to a Secret that it may not use.
 * @param owner project of the service: it decides whose secrets an environment of a pull request may read
 */
export async function readVariables(
  client: ClusterClient,
  app: App,
  owner: Project | undefined | Promise<Project | undefined>,
): Promise<Values> {
  const { project, secretRef } = app.spec
  const name = secretRef?.name ?? draftSecretName(app.metadata.name)
  const { secret, foreign } = await findNamedSecret(
    client,
    name,
    Promise.resolve(owner).then((known) => usableBy(app, known)),
  )
  if (foreign === undefined || isLeft(app, name, foreign)) return secret?.data ?? {}
  throw refuse(
    `the secret variables cannot be read: the Secret ${name} is not this service's; label it ${labels.project}=${project}, or leave secretRef out`,
  )
}

/**
 * The values for an edit. Throws Problem invalid_request where the variables are in a Secret that svc does not write.
 */
export async function readOwnVariables(client: ClusterClient, app: App): Promise<VariablesSecret> {
  const name = draftSecretName(app.metadata.name)
  const kept = app.spec.secretRef?.name ?? name
  if (kept !== name)
    throw refuse(
      `the secret variables are kept in the Secret ${kept}, which svc only reads; edit that Secret, or leave secretRef out`,
    )
  const { secret, foreign } = await findNamedSecret(client, name, isOwn(app))
  if (secret !== undefined) return { values: secret.data ?? {}, current: secret }
  if (foreign !== undefined && !isLeft(app, name, foreign))
    throw refuse(`the Secret ${name} was not made for this service; remove or rename it`)
  return { values: {}, current: foreign }
}

function usableBy(app: App, owner: Project | undefined): SecretRule {
  const pull = owner === undefined ? undefined : pullRequestIn(owner.spec, app.spec.environment)
  // A service with the code of a fork uses only values that were set for that very service.
  if (pull?.fork === true) return isOwn(app)
  return anyOf(isOwn(app), isHandMadeFor(app.spec.project), ...(pull === undefined ? [] : [isOfBase(app, pull)]))
}

const isOwn = ({ metadata: { uid } }: App) => isMadeFor(uid, secretPurposes.variables)

/** The Secret of a service in the base environment of a pull request (docs/reference/projects.md#what-is-copied). */
const isOfBase = ({ spec: { project } }: App, { base }: OpenPullRequest): SecretRule =>
  isMadeIn({ project, environment: base }, secretPurposes.variables)

/** Service names are unique, so a Secret under this name can only be that of an earlier service of the same name. */
const isLeft = ({ metadata }: App, name: string, found: NonNullable<VariablesSecret['current']>): boolean =>
  name === draftSecretName(metadata.name) && isLeftBy(metadata.name, secretPurposes.variables)(found)
