/** The identity of a pair of keys, by a cheap call that needs no permission; checks a cloud connection. */
import type { AwsAccount } from './account.ts'

/** The number of the account. Throws UpstreamError: refused when the keys are not valid. */
export async function callerAccount(account: AwsAccount): Promise<string> {
  return (await account.sts((sts) => sts.getCallerIdentity({}))).Account ?? ''
}
