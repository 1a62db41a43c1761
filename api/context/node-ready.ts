/** Whether a node is ready to run anything. */
import type { NodeSeen } from './trim.ts'

export const isReady = ({ status }: NodeSeen): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true
