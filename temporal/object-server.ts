/** Which image the object server of the cluster runs, and where the worker finds it, from the environment. */

import type { ObjectServerSettings } from '../activities/needs.ts'

/** The publisher moves this tag no more; what lies under it is the last image it made. */
const defaultImage = 'minio/minio:latest'

/**
 * SVC_MINIO_IMAGE, and SVC_OBJECT_SERVER_ENDPOINT (`http://host:port`) for a worker that cannot reach the addresses of Services,
 * e.g. through a port-forward. What runs on the cluster is told the name of the Service all the same.
 */
export function objectServerSettings(env: Readonly<Record<string, string | undefined>>): ObjectServerSettings {
  const endpoint = env['SVC_OBJECT_SERVER_ENDPOINT'] ?? ''
  return { image: env['SVC_MINIO_IMAGE'] || defaultImage, ...(endpoint === '' ? {} : { endpoint }) }
}
