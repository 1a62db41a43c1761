/** The names of the object server and its buckets, on the cluster and on the server. */
import { systemNamespace } from '../meta/group.ts'

/** Service, StatefulSet and volume of the one object server. */
export const serverName = 'svc-minio'
export const serverPort = 9000
/** Without a trailing dot or the cluster domain, which an install may choose: every pod resolves this name. */
export const serverHost = `${serverName}.${systemNamespace}.svc`
export const serverEndpoint = `http://${serverHost}:${serverPort}`

/**
 * The Secret in svc-system with `username` and `password` of the server's root user. That name has an underscore, so
 * that no store can have it.
 */
export const rootSecretName = (name: string): string => `${name}-root`
export const rootUser = 'svc_root'

/** The Secret in svc-system with `accessKey` and `secretKey` of a store; made once. */
export const userSecretName = (name: string): string => `${name}-minio-user`

const accessKeyMin = 3

/**
 * The access key: the name of the store, padded to the three characters that the server requires
 * (docs/reference/object-stores.md#keys).
 */
export const accessKeyOf = (name: string): string => name.padEnd(accessKeyMin, '_')

/** With a prefix that no policy built into the server has. */
export const policyNameOf = (name: string): string => `svc-${name}`

/** The prefix of an environment's buckets on the server. */
export const bucketPrefix = ({ project, environment }: { project: string; environment: string }): string =>
  `${project}.${environment}.`

/** The tag of a bucket with the uid of the record that it was made for. */
export const ownerTag = 'svc.dev/owner'

/** The object server where an install names no other: the publisher's last, by a digest for all processors. */
export const objectServerImage =
  'minio/minio:RELEASE.2025-09-07T16-13-09Z@sha256:14cea493d9a34af32f524e538b8346cf79f3321eff8e708c1e2960462bd8936e'
