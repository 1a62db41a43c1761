/** The version of an object that was read, to write or delete it only as long as it is that one. */

import type { KubeObject } from '../cluster/object.ts'

/** uid and resourceVersion, as metadata and as preconditions of a deletion take them. */
export function versionOf({ metadata: { uid, resourceVersion } }: Pick<KubeObject, 'metadata'>): { uid?: string; resourceVersion?: string } {
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) }
}
