/** The volume of a service: which other settings it rules out, and its size (docs/reference/services.md#volumes). */
import { refuse } from '../../../contract/problem.ts'
import { homeOf } from '../../meta/namespaces.ts'
import { type FullVolume, fullVolumeMessage } from '../../pods/full-volumes.ts'
import { bytes } from '../../pods/quantity.ts'
import type { App, AppSpec } from '../kind.ts'
import { volumeRefusals } from './workload-schema.ts'
import { defined } from '../../../contract/defined.ts'

/** The size where none is given; the same as that of databases. */
export const usualVolumeSize = '10Gi'

type Scaled = Pick<AppSpec, 'replicas' | 'autoscaling' | 'scaleToZero'>

/** Throws Problem invalid_request where the settings of a service contradict its volume. */
export function refuseWithVolume({ volume, source, ...scaled }: Scaled & Pick<AppSpec, 'volume' | 'source'>): void {
  if (volume === undefined) return
  if (source.function !== undefined) throw refuse(volumeRefusals.function)
  if (mayHaveSeveral(scaled)) throw refuse(volumeRefusals.copies)
}

const mayHaveSeveral = ({ replicas, autoscaling, scaleToZero }: Scaled): boolean =>
  replicas > 1 || autoscaling !== undefined || (scaleToZero.maxReplicas ?? 1) > 1

/**
 * The live settings of scaling as they apply beside a deployed volume: one copy at most, until a deploy removes the
 * volume.
 */
export function scaledWith(volume: AppSpec['volume'], { replicas, autoscaling, scaleToZero }: Scaled): Scaled {
  if (volume === undefined) return { replicas, scaleToZero, ...defined({ autoscaling }) }
  const { maxReplicas, ...sleep } = scaleToZero
  return {
    replicas: Math.min(1, replicas),
    scaleToZero: maxReplicas === undefined ? scaleToZero : { ...sleep, maxReplicas: 1 },
  }
}

/** The existing claim of a service. */
export interface ExistingVolume {
  /** Its storage request, as a quantity. */
  size: string
  /** Whether its StorageClass can enlarge it. */
  expandable: boolean
}

/** Why the existing volume cannot have the wanted size, as a sentence; '' when it can. */
export function growthRefusal(wanted: string, { size, expandable }: ExistingVolume): string {
  return bytes(wanted) > bytes(size) && !expandable
    ? `this cluster cannot enlarge volumes; the volume keeps its ${size}`
    : ''
}

/** Throws Problem invalid_request for a size that the existing volume cannot get. */
export function refuseVolumeSize(wanted: string, there: ExistingVolume): void {
  if (bytes(wanted) < bytes(there.size)) throw refuse(`volumeSize cannot shrink; the volume has ${there.size}`)
  const refusal = growthRefusal(wanted, there)
  if (refusal !== '') throw refuse(refusal)
}

/**
 * The size that the claim is applied with: never smaller than the existing one, as a rollback might ask for, since that
 * would lose data.
 */
export const keptSize = (wanted: string, there: string | undefined): string =>
  there !== undefined && bytes(there) > bytes(wanted) ? there : wanted

/** The message of a service whose volume is almost full; '' otherwise. */
export function volumeTrouble({ spec, status }: Pick<App, 'spec' | 'status'>, full: readonly FullVolume[]): string {
  const [home, own] = [homeOf(spec), status?.volume?.claim]
  return fullVolumeMessage(full, ({ namespace, claim }) => namespace === home && claim === own, 'volumeSize')
}
