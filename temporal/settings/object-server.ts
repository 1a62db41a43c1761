/** Image of the object server, and its endpoint for the worker, from environment variables. */
import type { ObjectServerSettings } from '../../activities/context/needs.ts'

/** The last image that its publisher released, as a digest for all processors. */
const defaultImage =
  'minio/minio:RELEASE.2025-09-07T16-13-09Z@sha256:14cea493d9a34af32f524e538b8346cf79f3321eff8e708c1e2960462bd8936e'

/**
 * SVC_MINIO_IMAGE, and SVC_OBJECT_SERVER_ENDPOINT (`http://host:port`) for a worker that cannot reach the addresses of
 * Services, e.g. through a port-forward. Pods on the cluster get the name of the Service in any case.
 */
export function objectServerSettings(env: Readonly<Record<string, string | undefined>>): ObjectServerSettings {
  const endpoint = env['SVC_OBJECT_SERVER_ENDPOINT'] ?? ''
  return { image: env['SVC_MINIO_IMAGE'] || defaultImage, ...(endpoint === '' ? {} : { endpoint }) }
}
