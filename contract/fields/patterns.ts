/**
 * The shapes of names and sizes, each written once: the contract, the custom resources and the rules read them here.
 */
import { objectNameMax } from '../limits.ts'

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
/** A DNS label: environments, node tags, regions, and the names that they are part of. */
export const dnsLabel = new RegExp(`^${label}$`)
/** An RFC 1123 subdomain, near enough: what the cluster takes for the name of an object. */
export const objectName = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/
/** Labels with dots between them, one or more: the host of a service as the cluster takes it. */
export const hostName = new RegExp(`^${label}(\\.${label})*$`)
/** Two labels or more, such as example.com. */
export const domainName = new RegExp(`^${label}(\\.${label})+$`)
/** The same with the lengths that DNS allows: 63 characters of a label, 253 of all. */
export const publicHost = /^(?=.{1,253}$)([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\.)+[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
/** The host of a database server elsewhere: a name, as its certificate has it, or an IPv4 address. */
export const serverHost = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/
/** The ID of a project, as text for patterns that contain it. */
export const projectIdText = 'proj-[0-9a-f]{8}'
export const projectId = new RegExp(`^${projectIdText}$`)
/** A variable that the api sets. */
export const variableName = /^[A-Z_][A-Z0-9_]*$/
/** The name of a database on a server. */
export const databaseName = /^[a-zA-Z_][a-zA-Z0-9_]*$/
/** The name of a bucket, before the two further rules: no IPv4 address, and no two dots in a row. */
export const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
/** The name of a bucket by all three rules, for buckets that svc creates itself. */
export const strictBucketName = new RegExp(`^(?!\\d+\\.\\d+\\.\\d+\\.\\d+$)(?!.*\\.\\.)${bucketName.source.slice(1)}`)
/** The version of a server's engine, such as 16 or 8.4. */
export const version = /^[0-9][-.0-9a-z]*$/

/** The whole hash of a commit: SHA-1, or SHA-256 of a repository that was made with it. */
export const commitHash = /^([0-9a-f]{40}|[0-9a-f]{64})$/
/** `owner/name` of a repository at a git host. */
export const repositoryName = /^[\w.-]+\/[\w.-]+$/
/** An address of https without a path. */
export const httpsOrigin = /^https:\/\/[a-zA-Z0-9.-]+(?::[0-9]+)?$/
/** Path and query of a call of a function by hand, percent-encoded. */
export const callPath = /^\/[\x21-\x7e]*$/

/** CPU and memory as a record holds them: the suffixes of Kubernetes, which knows no `K`. */
export const quantity = /^[0-9]+(\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti|P|Pi|E|Ei)?$/
/** What a caller may ask for of them: more than nothing, and in the units that each is given in. */
export const cpuQuantity = /^(?!0+(\.0+)?m?$)(\d+(\.\d{1,3})?|\d+m)$/
export const memoryQuantity = /^(?!0+(\.0+)?[A-Za-z]*$)\d+(\.\d+)?(Ki|Mi|Gi|Ti|k|M|G|T)?$/

/** An absolute path other than `/`, without `.`, `..`, doubled or closing slashes. */
export const absolutePath = /^(\/\.?[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/

/** The pattern that also takes the empty text, for fields where that means none. */
export const orEmpty = (pattern: RegExp): RegExp => new RegExp(`^$|${pattern.source}`, pattern.flags)

/** Whether any object can have the name: one that none can have is not worth a question to the cluster. */
export const canBeObjectName = (name: string): boolean => name.length <= objectNameMax && objectName.test(name)
