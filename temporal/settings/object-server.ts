/** Image of the object server, and its endpoint for the worker, from environment variables. */
import type { ObjectServerSettings } from '../../activities/context/needs.ts'
import { objectServerImage } from '../../kinds/object-stores/names.ts'

/**
 * SVC_MINIO_IMAGE, and SVC_OBJECT_SERVER_ENDPOINT (`http://host:port`) for a worker that cannot reach the addresses of
 * Services, e.g. through a port-forward. Pods on the cluster get the name of the Service in any case.
 */
export function objectServerSettings(env: Readonly<Record<string, string | undefined>>): ObjectServerSettings {
  const endpoint = env['SVC_OBJECT_SERVER_ENDPOINT'] ?? ''
  return { image: env['SVC_MINIO_IMAGE'] || objectServerImage, ...(endpoint === '' ? {} : { endpoint }) }
}
