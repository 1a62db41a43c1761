/** A service, database or bucket as text: pairs of names and values, and the progress of its operation in one line. */
import { describeDeploy, type DeployStatus } from '../../client/wait/deploy.ts'
import type { RecordView } from '../../client/wait/record.ts'
import type { ResourceSummary } from '../../contract/views/resource.ts'
import { plainLine } from '../session/terminal.ts'
import type { Columns } from './list.ts'
import { detailText, timeText } from './value-text.ts'

export function resourcePairs(resource: ResourceSummary): (readonly [string, string])[] {
  return [
    ['name', resource.name],
    ['label', resource.displayName === resource.name ? '' : resource.displayName],
    ['project', resource.project],
    ['environment', resource.environment],
    ['state', resource.state],
    ['message', resource.message],
    ['url', resource.url],
    ['pending changes', String(resource.pendingChanges)],
    ...Object.entries(resource.details).map(([name, value]) => [name, detailText(value)] as const),
    ['created', timeText(resource.createdAt)],
  ]
}

/** Columns of a list of resources that are shown only where they are asked for. */
export const moreColumns: Columns<ResourceSummary> = {
  label: (it) => it.displayName,
  created: (it) => timeText(it.createdAt),
  details: (it) => detailText(it.details),
}

/** `rolling out  1/3 ready  waiting for copies: 1 of 3 available` */
export function deployText(status: DeployStatus): string {
  const { step, detail } = describeDeploy(status)
  const { ready, desired } = status.replicas
  // While copies of a new release start, those of the one before are still ready.
  const copies = status.sleeping === true ? 'sleeping' : `${Math.min(ready, desired)}/${desired} ready`
  return lineOf(step, copies, detail)
}

/** `pending  waiting for provisioning` */
export const recordText = (record: RecordView | undefined): string =>
  record === undefined ? 'gone' : lineOf(record.resource.state, record.resource.message)

const lineOf = (...parts: string[]): string =>
  parts
    .filter((part) => part !== '')
    .map(plainLine)
    .join('  ')
