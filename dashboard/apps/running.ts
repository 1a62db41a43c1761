/** What a service runs where that is not what is saved, or not alone. */
import type { View } from '../../contract/operations.ts'

interface Images {
  readonly copies: View<'apps.copies'>['items']
  readonly deployments: View<'apps.deployments'>['items']
}

/** The images of the copies that are there, by the deployments that they are of; those no longer kept are not known. */
export function imagesOf({ copies, deployments }: Images): string[] {
  const images = copies
    .filter(({ phase }) => phase !== 'Terminating')
    .map(({ deployment }) => deployments.find(({ id }) => id === deployment)?.image ?? '')
  return [...new Set(images)].filter((image) => image !== '')
}

/** The rows of its facts: one, or what runs beside what is saved. */
export const sourceRows = (saved: string, running: readonly string[]): readonly (readonly [string, string])[] =>
  running.length === 0
    ? [['Source', saved]]
    : [
        ['Runs now', running.join(' and ')],
        ['Saved', saved],
      ]
