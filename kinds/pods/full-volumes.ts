/** Volumes that are almost full, and what their owners say of them. */

/** A claim in its namespace, and which part of its volume is used, up to 1. */
export interface FullVolume {
  namespace: string
  claim: string
  share: number
}

/**
 * What a record says of the fullest of its volumes; '' where none is among these.
 * @param field the setting that makes the volume larger
 */
export function fullVolumeMessage(
  full: readonly FullVolume[],
  isOwn: (volume: FullVolume) => boolean,
  field: 'storageSize' | 'volumeSize',
): string {
  const shares = full.filter(isOwn).map(({ share }) => share)
  if (shares.length === 0) return ''
  return `its volume is ${Math.floor(Math.max(...shares) * 100)} % full; raise ${field} or remove data`
}
