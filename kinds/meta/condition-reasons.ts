/**
 * Every reason of every condition, by kind, type and status, with its meaning for an operator; `docs/conditions.md`
 * lists them. Code that writes or compares a reason takes the type from here, so that a wrong word does not compile.
 * Workflows import the types alone: their bundle does not have the sentences.
 */
import { type ProvisionedKind, provisionedKinds, type ResourceTypeName } from './resource-types.ts'

/** What a service waits for in its environment before its objects can be made; the watch wakes it when that changes. */
export const environmentWaits = {
  ProjectMissing: 'The project it belongs to does not exist.',
  ProjectDeleting: 'The project it belongs to is being deleted.',
  EnvironmentMissing: 'The project has no environment of this name.',
  EnvironmentNotReady: 'The environment is being set up: its namespace, or the rights in that, are not there yet.',
  NamespaceForeign: 'The namespace of the environment was not made by svc; it is left alone until it is removed.',
  NamespaceTerminating: 'The namespace of the environment is being deleted, and can be used again after that.',
} as const

const copies = {
  Missing: 'Its Deployment is not on the cluster.',
  Progressing: 'Its copies are being made or replaced.',
  Building: 'Its image is being built, or waits for that; what ran before goes on running.',
  BuildFailed: 'Its image could not be built, or the build was cancelled; what ran before goes on running.',
  QuotaOrPolicy: 'A quota or a policy of the cluster refuses to create its copies.',
  ImagePull: 'The image cannot be pulled.',
  CrashLoop: 'A container of it keeps exiting.',
  NoRoom: 'No node has capacity for a copy.',
  ContainerConfig: 'A container cannot be started with its settings.',
} as const

const provisioning = {
  ReconcileError:
    'A pass is on its way, something is waited for (looked at again after 30 seconds, or as soon as it changes), ' +
    'a failure is counted, or it is being removed; the message says which.',
  ProvisionFailed:
    'It cannot be made, or failed five times in a row or for three minutes; it rests until an edit or a retry.',
} as const

/** A kind with further reasons names them below. */
const ofProvisioned = Object.fromEntries(
  Object.entries(provisionedKinds).map(([kind, { ready }]) => [
    kind,
    {
      Ready: {
        True: { [ready]: 'It is made, and was seen to answer with the login or the keys of it.' },
        False: provisioning,
      },
    },
  ]),
) as {
  [Kind in ProvisionedKind]: {
    Ready: { True: Record<(typeof provisionedKinds)[Kind]['ready'], string>; False: typeof provisioning }
  }
}

export const conditionReasons = {
  project: {
    Ready: {
      True: { Ready: 'All of its environments are set up.' },
      False: {
        Progressing: 'An environment is being set up or removed.',
        ReconcileError: 'An environment cannot be set up; the failure is counted.',
        ProvisionFailed: 'Setting it up failed too often; it rests until an edit or a retry.',
        Deleting: 'It is being deleted; the message says what that waits for.',
      },
    },
  },
  app: {
    Ready: {
      True: { Ready: 'All of its copies run the newest release, or it sleeps until a request comes.' },
      False: {
        Draft: 'Nothing of it is deployed.',
        ...copies,
        ...environmentWaits,
        HostTaken: 'A host it asks for belongs to another service or to the platform.',
        NameTaken: 'An object of its name is on the cluster and belongs to another owner.',
        QuotaUsedUp: 'The quota of its environment does not allow it.',
        ReleaseLost: 'The frozen secrets of its release are gone; a new deploy freezes them again.',
        Refused: 'The cluster or svc itself refuses what it asks for; the message says why.',
        ProvisionFailed: 'A deploy failed too often; a new deploy, an edit or a retry tries again.',
        NotRolledBack: 'A deploy failed, and the release before it cannot be deployed again.',
        Withdrawing: 'It was undeployed, and its copies are being removed.',
        Deleting: 'It is being deleted, and its copies are being removed.',
      },
    },
  },
  ...ofProvisioned,
  cluster: { Ready: { True: { Ready: 'The cluster answers.' }, False: {} } },
  cloudConnection: {
    Ready: {
      True: ofProvisioned.cloudConnection.Ready.True,
      False: {
        CredentialsIncomplete: 'The Secret with the keys, or a key of it, is missing.',
        CredentialsInvalid: 'The cloud refuses the keys.',
        ...provisioning,
      },
    },
  },
  platformConfig: {
    DashboardDomainReady: {
      True: { Verified: 'The address of the dashboard answers.' },
      False: {
        NoDomain: 'No domain is set.',
        NotChecked: 'Nothing has checked the setting yet; only the API says so.',
        PendingDNS: 'The name of the dashboard does not lead to this cluster.',
        PendingHTTPS: 'The name leads here, and the address does not answer as the dashboard.',
        PendingTunnel: 'Tunnel mode is chosen, and the tunnel is not made yet.',
        ZoneRequired: 'Several zones are visible, and one has to be chosen.',
        Error: 'The check cannot succeed before something else is fixed; the message says what.',
        VerificationTimedOut: 'The address was not verified in time; it is checked less often from then on.',
      },
    },
    CloudflareReady: {
      True: {
        Connected: 'The DNS provider takes the token, and keeps the records once a domain is set.',
        Ready: 'The tunnel is up, and the records that lead to it are kept.',
      },
      False: {
        NotConnected: 'No DNS provider is connected; only the API says so.',
        NotChecked: 'Nothing has checked the setting yet; only the API says so.',
        CredentialsIncomplete: 'The Secret of the connection, or a part of it, is missing or cannot be read.',
        CredentialsInvalid: 'The DNS provider refuses the token.',
        TunnelError: 'The tunnel cannot be made, or its connector is not up.',
        TunnelTokenError: 'The token of the tunnel cannot be had from the DNS provider.',
        TunnelConfigError: 'The routes of the tunnel cannot be written.',
        DNSError: 'Records cannot be made; the message says why.',
      },
    },
  },
  haReadiness: {
    Ready: {
      True: { Ready: 'The cluster can carry highly available workloads.' },
      False: { Lacking: 'The cluster lacks something for highly available workloads; the message lists it.' },
    },
  },
} as const satisfies Partial<
  Record<ResourceTypeName, Record<string, Record<'True' | 'False', Readonly<Record<string, string>>>>>
>

type Table = typeof conditionReasons
/** Distributes over a union, so that a condition of several kinds has the reasons of each. */
type KeysOf<T> = T extends unknown ? keyof T : never
type ReasonsIn<Condition> = Condition extends { True: infer Yes; False: infer No } ? keyof Yes | keyof No : never

/** A kind whose records have conditions. */
export type ConditionedKind = keyof Table
/** A type of condition that records of the kind have. */
export type ConditionType<Kind extends ConditionedKind = ConditionedKind> = KeysOf<Table[Kind]>
/** The kinds with the condition `Ready`. */
export type ReadyKind = { [Kind in ConditionedKind]: 'Ready' extends keyof Table[Kind] ? Kind : never }[ConditionedKind]

/** The reasons of one condition, e.g. `ConditionReason<'platformConfig', 'CloudflareReady'>`. */
export type ConditionReason<
  Kind extends ConditionedKind = ConditionedKind,
  Type extends ConditionType<Kind> = ConditionType<Kind>,
> = Table[Kind] extends infer Types ? (Types extends unknown ? ReasonsIn<Types[Type & keyof Types]> : never) : never
/** The reasons of the condition `Ready`, e.g. `ReadyReason<'app'>`. */
export type ReadyReason<Kind extends ReadyKind = ReadyKind> = ConditionReason<Kind, 'Ready' & ConditionType<Kind>>
export type EnvironmentReason = keyof typeof environmentWaits
