/** IAM users of an AWS account: their owner, their inline policy, their access keys. */
import { UpstreamError } from '../upstream-error.ts'
import type { AwsAccount, AwsKeys } from './account.ts'
import { orAbsent } from './upstream-error.ts'
import { defined } from '../../contract/defined.ts'

/** The tags of a user, or undefined when there is none of this name. */
export async function lookAtUser(account: AwsAccount, user: string): Promise<Record<string, string> | undefined> {
  const found = await orAbsent(account.iam((iam) => iam.getUser({ UserName: user })))
  return found === undefined
    ? undefined
    : Object.fromEntries((found.User?.Tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value]))
}

/** Creates the user with its tags in one call. A user that exists stays as it is; the next pass reads it. */
export async function createUser(
  account: AwsAccount,
  user: string,
  tags: Readonly<Record<string, string>>,
): Promise<void> {
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
  try {
    await account.iam((iam) => iam.createUser({ UserName: user, Tags }))
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.code !== 'EntityAlreadyExists') throw error
  }
}

/** Writes the policy only when it differs, so that a pass over a store in its desired state writes nothing. */
export async function putPolicy(account: AwsAccount, user: string, policy: string, document: string): Promise<void> {
  const named = { UserName: user, PolicyName: policy }
  const found = await orAbsent(account.iam((iam) => iam.getUserPolicy(named)))
  // AWS returns the document URL-encoded (RFC 3986).
  if (found?.PolicyDocument !== undefined && plain(found.PolicyDocument) === document) return
  await account.iam((iam) => iam.putUserPolicy({ ...named, PolicyDocument: document }))
}

/** The ids of its access keys; none when the user is gone. */
export async function listKeys(account: AwsAccount, user: string): Promise<string[]> {
  const found = await orAbsent(account.iam((iam) => iam.listAccessKeys({ UserName: user })))
  return (found?.AccessKeyMetadata ?? []).flatMap(({ AccessKeyId }) => AccessKeyId ?? [])
}

/** Not idempotent: each call creates another key. Only this answer holds its secret. */
export async function createKey(account: AwsAccount, user: string): Promise<AwsKeys> {
  const { AccessKey } = await account.iamOnce((iam) => iam.createAccessKey({ UserName: user }))
  const { AccessKeyId: accessKeyId = '', SecretAccessKey: secretAccessKey = '' } = AccessKey ?? {}
  return { accessKeyId, secretAccessKey }
}

export async function deleteKey(account: AwsAccount, user: string, accessKeyId: string): Promise<void> {
  await orAbsent(account.iam((iam) => iam.deleteAccessKey({ UserName: user, AccessKeyId: accessKeyId })))
}

/** Deletes the access keys of a user, which ends its writes; absent keys are no error. */
export async function deleteKeys(account: AwsAccount, user: string): Promise<void> {
  for (const key of await listKeys(account, user)) await deleteKey(account, user, key)
}

/** Deletes the policy, then the user; absent ones are no error. */
export async function deleteUser(account: AwsAccount, user: string, policy: string): Promise<void> {
  await orAbsent(account.iam((iam) => iam.deleteUserPolicy({ UserName: user, PolicyName: policy })))
  await orAbsent(account.iam((iam) => iam.deleteUser({ UserName: user })))
}

/** The names of the users with this prefix. */
export async function* listUsers(account: AwsAccount, prefix: string): AsyncGenerator<string> {
  let marker: string | undefined
  do {
    const page = await account.iam((iam) => iam.listUsers(defined({ Marker: marker })))
    for (const { UserName: name = '' } of page.Users ?? []) if (name.startsWith(prefix)) yield name
    marker = page.Marker
  } while (marker !== undefined)
}

function plain(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}
