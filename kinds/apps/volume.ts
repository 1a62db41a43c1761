/** The volume of a service: what it rules out, and how large it is (docs/reference/services.md#volumes). */
import { refuse } from '../../contract/problem.ts'
import { homeOf } from '../meta/namespaces.ts'
import { type FullVolume, fullVolumeMessage } from '../pods/full-volumes.ts'
import { bytes } from '../pods/quantity.ts'
import type { App, AppSpec } from './kind.ts'
import { volumeRefusals } from './workload-schema.ts'
import { defined } from '../../contract/defined.ts'

/** Where none is named; the same as that of databases. */
export const usualVolumeSize = '10Gi'

type Scaled = Pick<AppSpec, 'replicas' | 'autoscaling' | 'scaleToZero'>

/** Throws Problem invalid_request where a service with a volume asks for what it cannot have with one. */
export function refuseWithVolume({ volume, source, ...scaled }: Scaled & Pick<AppSpec, 'volume' | 'source'>): void {
  if (volume === undefined) return
  if (source.function !== undefined) throw refuse(volumeRefusals.function)
  if (mayHaveSeveral(scaled)) throw refuse(volumeRefusals.copies)
}

const mayHaveSeveral = ({ replicas, autoscaling, scaleToZero }: Scaled): boolean =>
  replicas > 1 || autoscaling !== undefined || (scaleToZero.maxReplicas ?? 1) > 1

/** The live settings of scaling as they count while a volume runs: it bears one copy, until a deploy takes it away. */
export function scaledWith(volume: AppSpec['volume'], { replicas, autoscaling, scaleToZero }: Scaled): Scaled {
  if (volume === undefined) return { replicas, scaleToZero, ...defined({ autoscaling }) }
  const { maxReplicas, ...sleep } = scaleToZero
  return {
    replicas: Math.min(1, replicas),
    scaleToZero: maxReplicas === undefined ? scaleToZero : { ...sleep, maxReplicas: 1 },
  }
}

/** A claim that exists. */
export interface ExistingVolume {
  /** What it was asked for with, as a quantity. */
  size: string
  /** Whether its StorageClass can enlarge it. */
  expandable: boolean
}

/** A sentence, or '' when the volume that exists can become as large as is asked for. */
export function growthRefusal(wanted: string, { size, expandable }: ExistingVolume): string {
  return bytes(wanted) > bytes(size) && !expandable
    ? `this cluster cannot enlarge volumes; the volume keeps its ${size}`
    : ''
}

/** Throws Problem invalid_request for a size that the volume that exists cannot be given. */
export function refuseVolumeSize(wanted: string, there: ExistingVolume): void {
  if (bytes(wanted) < bytes(there.size)) throw refuse(`volumeSize cannot shrink; the volume has ${there.size}`)
  const refusal = growthRefusal(wanted, there)
  if (refusal !== '') throw refuse(refusal)
}

/** The size that its claim is applied with: data is never lost to a smaller one, which a rollback may ask for. */
export const keptSize = (wanted: string, there: string | undefined): string =>
  there !== undefined && bytes(there) > bytes(wanted) ? there : wanted

/** What a service says of its volume where that is almost full; '' otherwise. */
export function volumeTrouble({ spec, status }: Pick<App, 'spec' | 'status'>, full: readonly FullVolume[]): string {
  const [home, own] = [homeOf(spec), status?.volume?.claim]
  return fullVolumeMessage(full, ({ namespace, claim }) => namespace === home && claim === own, 'volumeSize')
}
