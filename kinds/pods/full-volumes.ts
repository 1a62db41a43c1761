/** Volumes that are almost full, and the messages of their owners. */

/** A claim in its namespace, and the used share of its volume, up to 1. */
export interface FullVolume {
  namespace: string
  claim: string
  share: number
}

/**
 * The message of a record about the fullest of its volumes; '' where none of them is in `full`.
 * @param field the setting that enlarges the volume
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
