/** The storage that volumes are made of when nothing else is said. */
import type { Caches, StorageClassSeen } from './caches.ts'

const defaultClass = 'storageclass.kubernetes.io/is-default-class'

export function defaultStorage({ storageClasses }: Caches): StorageClassSeen | undefined {
  return storageClasses.list().find(({ metadata }) => metadata.annotations?.[defaultClass] === 'true')
}
