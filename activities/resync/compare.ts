/** Finds records that have work and no open run, kind by kind in the caches, and wakes them. */
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import {
  type ComparedKind,
  type OwnWorkflowKind,
  ownWorkflowKinds,
  type ProvisionedKind,
  provisionedKinds,
  type ReconciledKind,
} from '../../kinds/meta/resource-types.ts'
import { isReconciling, provisionPlan, type ProvisionRules, type ReconciledRecord } from '../../kinds/provision/plan.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { provisioned } from '../provisioned-kinds.ts'
import { lookAtPage, type PageInput, type PageReport } from './page.ts'

export interface CompareNeeds extends ActivityNeeds {
  /** Whether a run is open for the record, read from Temporal. */
  isOpen: (kind: ReconciledKind, name: string) => Promise<boolean>
  wake: (kind: ReconciledKind, name: string, reason: string) => Promise<void>
  /** Whether a record of a kind with a workflow of its own needs a run. */
  hasWork: (kind: OwnWorkflowKind, record: KubeObject) => boolean
  /** Which of the record's objects are missing, by the caches, as the watch finds it; undefined if none is. */
  missingOf: (kind: ComparedKind, name: string) => string | undefined
}

type Compare = (page: PageInput, wakeIf: (name: string, asks: boolean) => Promise<boolean>) => Promise<PageReport>

/** One page of a kind: wakes each record that has work and no open run. An open run does its work without a wake. */
export const wakeDue = (needs: CompareNeeds) => {
  const kinds = compared(needs)
  return ({ kind, ...page }: PageInput & { kind: ComparedKind }): Promise<PageReport> =>
    kinds[kind](page, async (name, asks) => {
      // The watch has woken a run for a missing object, but that run may have been terminated by hand.
      const why = needs.missingOf(kind, name) ?? (asks ? 'work without an open run' : undefined)
      if (why === undefined || (await needs.isOpen(kind, name))) return false
      await needs.wake(kind, name, `resync: ${why}`)
      return true
    })
}

const compared = (needs: CompareNeeds): Record<ComparedKind, Compare> => ({
  ...comparedOwn(needs),
  ...comparedProvisioned(needs),
})

function comparedOwn(needs: CompareNeeds): Record<OwnWorkflowKind, Compare> {
  const row = (kind: OwnWorkflowKind): Compare =>
    comparing<KubeObject>(needs[ownWorkflowKinds[kind].records], (record) => needs.hasWork(kind, record))
  const kinds = Object.keys(ownWorkflowKinds) as OwnWorkflowKind[]
  return Object.fromEntries(kinds.map((kind) => [kind, row(kind)])) as Record<OwnWorkflowKind, Compare>
}

function comparedProvisioned(needs: CompareNeeds): Record<ProvisionedKind, Compare> {
  const row = <K extends ProvisionedKind>(kind: K): Compare => {
    const rules = provisioned[kind].rules as ProvisionRules<ReconciledRecord & KubeObject>
    return comparing<ReconciledRecord & KubeObject>(needs[provisionedKinds[kind].records], isReconcilingBy(rules))
  }
  const kinds = Object.keys(provisionedKinds) as ProvisionedKind[]
  return Object.fromEntries(kinds.map((kind) => [kind, row(kind)])) as Record<ProvisionedKind, Compare>
}

/** Only lists the store, so that one of any kind can be taken as a store of what its kinds have in common. */
function comparing<T extends KubeObject>(
  { cache }: { cache: Pick<ResourceCache<T>, 'list'> },
  asks: (record: T) => boolean,
): Compare {
  return (page, wakeIf) => lookAtPage(cache.list(), page, (record) => wakeIf(record.metadata.name, asks(record)))
}

/** Whether a record is neither ready nor failed. */
function isReconcilingBy<T extends ReconciledRecord & KubeObject>(rules: ProvisionRules<T>): (record: T) => boolean {
  return (record) => isReconciling(provisionPlan(rules, record.metadata.name, record), record)
}
