/** What the object server and its buckets are called, on the cluster and on the server. */
import { systemNamespace } from '../meta/group.ts'

/** Service, StatefulSet and volume of the one object server. */
export const serverName = 'svc-minio'
export const serverPort = 9000
/** Without an end dot or the cluster's own domain, which installs may choose: every pod finds it. */
export const serverHost = `${serverName}.${systemNamespace}.svc`
export const serverEndpoint = `http://${serverHost}:${serverPort}`

/**
 * In svc-system: `username` and `password` that the server starts with. An underscore, so that no store can be called
 * so.
 */
export const rootSecretName = (name: string): string => `${name}-root`
export const rootUser = 'svc_root'

/** In svc-system: `accessKey` and `secretKey` of a store, made once. */
export const userSecretName = (name: string): string => `${name}-minio-user`

const accessKeyMin = 3

/**
 * The access key: the name of the store, filled up where the server wants three characters
 * (docs/reference/object-stores.md#keys).
 */
export const accessKeyOf = (name: string): string => name.padEnd(accessKeyMin, '_')

/** With a beginning that none of the policies has that the server comes with. */
export const policyNameOf = (name: string): string => `svc-${name}`

/** What the buckets of an environment begin with on the server. */
export const bucketPrefix = ({ project, environment }: { project: string; environment: string }): string =>
  `${project}.${environment}.`

/** The tag of a bucket that says which store it was made for: the uid of its record. */
export const ownerTag = 'svc.dev/owner'
