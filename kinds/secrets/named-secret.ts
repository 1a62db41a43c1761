/**
 * Which Secret a record may name: one that svc made for that record, or one that a person labelled for its project
 * (docs/ownership.md).
 */
import { labels, managedBySvc } from '../meta/annotations.ts'

/** The values of the purpose label that records follow a reference to. */
export const secretPurposes = {
  /** The secret variables of a service as they are edited. */
  variables: 'app-secrets',
  /** The secret variables of one deploy as they were frozen. */
  release: 'release',
  shared: 'shared-variables',
  webhook: 'webhook',
  /** What a git server signs its deliveries for one service with. */
  gitWebhook: 'git-webhook',
  /** What svc reads the repository of one service with over ssh. */
  deployKey: 'deploy-key',
  cloudKeys: 'cloud-credentials',
  /** The login at the server elsewhere of one database. */
  externalLogin: 'external-login',
  platform: 'platform-setting',
} as const

/** Enough of an object to judge whose it is. */
export interface Labelled {
  metadata: { labels?: Record<string, string> }
}

export type SecretRule = (object: Labelled) => boolean

const prefix = 'svc.dev/'

/**
 * Made by svc for the record with this uid. One without a purpose was made by an earlier release, and counts: a uid is
 * minted by the cluster, so only svc can have put it there.
 */
export const isMadeFor =
  (uid: string | undefined, purpose: string): SecretRule =>
  ({ metadata }) => {
    const { [labels.owner]: owner, [labels.purpose]: said = purpose } = metadata.labels ?? {}
    return uid !== undefined && uid !== '' && owner === uid && said === purpose
  }

/** Made by svc for a service of this environment. */
export const isMadeIn =
  ({ project, environment }: { project: string; environment: string }, purpose: string): SecretRule =>
  ({ metadata }) => {
    const of = metadata.labels ?? {}
    return (
      of[labels.managedBy] === managedBySvc &&
      of[labels.project] === project &&
      of[labels.environment] === environment &&
      of[labels.purpose] === purpose
    )
  }

/** Made by a person for the project: its label, and none that svc puts onto what it makes itself. */
export const isHandMadeFor =
  (project: string): SecretRule =>
  ({ metadata }) => {
    const { [labels.project]: labelled, [labels.environment]: _, ...others } = metadata.labels ?? {}
    return project !== '' && labelled === project && hasNoneOfSvc(others)
  }

const hasNoneOfSvc = (others: Record<string, string>): boolean =>
  Object.keys(others).every((key) => !key.startsWith(prefix))

/**
 * The keys that the api wrote for a cloud connection of the project. They are written before the connection, so they
 * carry no uid; those of an earlier release carry no purpose either.
 */
export const isCloudKeysOf =
  (project: string): SecretRule =>
  ({ metadata }) => {
    const {
      [labels.project]: labelled,
      [labels.managedBy]: _,
      [labels.purpose]: purpose,
      ...others
    } = metadata.labels ?? {}
    if (project === '' || labelled !== project) return false
    return purpose === secretPurposes.cloudKeys || (purpose === undefined && hasNoneOfSvc(others))
  }

/**
 * The login that the api wrote for the database of this name in the project. It is written before the record, so it
 * carries no uid; what keeps it from going elsewhere is the server that it says it was given for.
 */
export const isExternalLoginOf =
  ({ project, database }: { project: string; database: string }): SecretRule =>
  ({ metadata }) => {
    const of = metadata.labels ?? {}
    return (
      project !== '' &&
      of[labels.managedBy] === managedBySvc &&
      of[labels.project] === project &&
      of[labels.database] === database &&
      of[labels.purpose] === secretPurposes.externalLogin
    )
  }

/** Of the whole install: no record owns it, and a person who makes one by hand says by the label what it is for. */
export const isPlatformSetting: SecretRule = ({ metadata }) =>
  metadata.labels?.[labels.purpose] === secretPurposes.platform

/**
 * Left by an earlier service of this name, since no two have one name at a time: to be written over, never to be read.
 */
export const isLeftBy =
  (app: string, purpose: string): SecretRule =>
  ({ metadata }) => {
    const { [labels.managedBy]: managed, [labels.app]: name, [labels.purpose]: said = purpose } = metadata.labels ?? {}
    return managed === managedBySvc && name === app && said === purpose
  }

export const anyOf =
  (...all: readonly SecretRule[]): SecretRule =>
  (object) =>
    all.some((rule) => rule(object))
