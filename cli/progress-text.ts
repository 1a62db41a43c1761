/** How far work has come, in one line. */
import { describeDeploy } from '../client/deploy-verdict.ts'
import type { DeployStatus } from '../client/deploy-verdict.ts'
import type { RecordView } from '../client/record-verdict.ts'
import { plainText } from './terminal.ts'

/** `rolling out  1/3 ready  waiting for copies: 1 of 3 available` */
export function deployText(status: DeployStatus): string {
  const { step, detail } = describeDeploy(status)
  const copies = status.sleeping === true ? 'sleeping' : `${status.replicas.ready}/${status.replicas.desired} ready`
  return lineOf(step, copies, detail)
}

/** `pending  waiting for provisioning` */
export const recordText = (record: RecordView | undefined): string => (record === undefined ? 'gone' : lineOf(record.resource.state, record.resource.message))

const lineOf = (...parts: string[]): string =>
  parts
    .filter((part) => part !== '')
    .map((part) => plainText(part).replaceAll('\n', ' '))
    .join('  ')
