/**
 * The rights of a store's keys, on the object server and at AWS: everything with the objects of its own buckets, and
 * nothing else.
 */
import { canonical } from '../meta/digest.ts'

const bucketActions = ['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads']
const objectActions = [
  's3:AbortMultipartUpload',
  's3:DeleteObject',
  's3:GetObject',
  's3:ListMultipartUploadParts',
  's3:PutObject',
]
/** Denied: a MinIO user may otherwise change its own secret, and create further keys that outlive such a change. */
const keyActions = ['admin:CreateServiceAccount', 'admin:CreateUser', 'admin:UpdateServiceAccount']

/**
 * The policy of a store, which allows access to its buckets alone
 * (docs/reference/object-stores.md#buckets-on-the-server); with the names on the server.
 */
export function minioPolicy(buckets: readonly string[]) {
  return {
    Version: '2012-10-17',
    Statement: [...allowed(buckets, 'aws'), { Effect: 'Deny', Action: keyActions }],
  }
}

/** The inline policy of a user at AWS as JSON; `region` determines the partition, e.g. `aws-cn` for `cn-north-1`. */
export function awsPolicy(buckets: readonly string[], region: string): string {
  return JSON.stringify({ Version: '2012-10-17', Statement: allowed(buckets, partitionOf(region)) })
}

function allowed(buckets: readonly string[], partition: string) {
  const arn = (bucket: string): string => `arn:${partition}:s3:::${bucket}`
  return [
    { Effect: 'Allow', Action: bucketActions, Resource: buckets.map(arn) },
    { Effect: 'Allow', Action: objectActions, Resource: buckets.map((bucket) => `${arn(bucket)}/*`) },
  ]
}

function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn'
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws'
}

/** Whether two policies are equal, whatever the order of their lists: a server returns lists in an order of its own. */
export function samePolicy(one: unknown, other: unknown): boolean {
  return canonical(sorted(one)) === canonical(sorted(other))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => canonical(sorted(item))).sort()
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, sorted(field)]))
}
