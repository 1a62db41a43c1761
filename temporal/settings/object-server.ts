/** Which image the object server of the cluster runs, and where the worker finds it, from the environment. */
import type { ObjectServerSettings } from '../../activities/context/needs.ts'

/** The last image that its publisher made, for every processor it was made for. */
const defaultImage =
  'minio/minio:RELEASE.2025-09-07T16-13-09Z@sha256:14cea493d9a34af32f524e538b8346cf79f3321eff8e708c1e2960462bd8936e'

/**
 * SVC_MINIO_IMAGE, and SVC_OBJECT_SERVER_ENDPOINT (`http://host:port`) for a worker that cannot reach the addresses of
 * Services, e.g. through a port-forward. What runs on the cluster gets the name of the Service all the same.
 */
export function objectServerSettings(env: Readonly<Record<string, string | undefined>>): ObjectServerSettings {
  const endpoint = env['SVC_OBJECT_SERVER_ENDPOINT'] ?? ''
  return { image: env['SVC_MINIO_IMAGE'] || defaultImage, ...(endpoint === '' ? {} : { endpoint }) }
}
