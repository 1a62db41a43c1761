/** Checks a cloud connection by a cheap call that needs no permission, and writes the verdict as its condition. */
import { incompleteKeys } from '../../kinds/cloud-connections/credentials.ts'
import type { CloudConnection } from '../../kinds/cloud-connections/kind.ts'
import type { ReadyReason } from '../../kinds/meta/condition-reasons.ts'
import { readyOf, type Verdict } from '../../kinds/meta/conditions.ts'
import { regionOfStore } from '../../kinds/object-stores/remote.ts'
import { provisionPlan } from '../../kinds/provision/plan.ts'
import { callerAccount } from '../../outside/aws/identity.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { readCloudKeys, type StoredKeys } from '../../records/cloud-connections/read-account.ts'
import { recordEvent } from '../kube/event.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import {
  onAskedRecord,
  type ProvisionContext,
  result,
  type StepInput,
  type StepResult,
  writeProvisionStatus,
} from '../provision/context.ts'
import { defined } from '../../contract/defined.ts'

type Needs = Pick<ActivityNeeds, 'client' | 'clouds'>

interface Found {
  verdict: Verdict<ReadyReason<'cloudConnection'>>
  /** Account or organization as the cloud names it; left out if the cloud was not called or did not answer. */
  account?: string
  /** The cloud did not answer: the check is repeated soon. */
  passing?: boolean
}

/**
 * Keys that are incomplete or that the cloud refuses are a verdict like any other: the run ends, and the next check
 * follows a change of the Secret, a retry, or a resync. A cloud that does not answer makes the step wait.
 */
export const checkConnection =
  (context: ProvisionContext<CloudConnection>, needs: Needs) =>
  (input: StepInput): Promise<StepResult> =>
    onAskedRecord(context, input, async (connection, plan) => {
      if (plan.story !== 'provision' && !plan.mends) return { ...result(plan), outcome: 'changed' }
      const stored = await readCloudKeys(needs.client, connection)
      const { verdict, account, passing = false } = await judge(needs, connection, stored)
      const said = readyOf<'cloudConnection'>(connection.status?.conditions)
      if (said?.reason !== verdict.reason || said.message !== verdict.message) {
        const type = verdict.ready ? 'Normal' : 'Warning'
        const { reason, message } = verdict
        await recordEvent(
          context.client,
          connection,
          { type, reason, message, occurrence: `${plan.intent} ${connection.metadata.resourceVersion ?? ''}` },
          context.now(),
        )
      }
      const written = await writeProvisionStatus(context, connection, verdict, {
        ...(passing ? {} : { observedIntent: plan.intent, checkedKeys: stored?.version ?? '' }),
        ...defined({ account }),
      })
      const next = provisionPlan(context.rules, input.name, written)
      return passing ? { ...result(next), outcome: 'waiting', message: verdict.message } : result(next)
    })

async function judge(needs: Needs, { spec }: CloudConnection, stored: StoredKeys | undefined): Promise<Found> {
  const incomplete = incompleteKeys(spec, stored?.keys)
  if (stored === undefined || incomplete !== '')
    return { verdict: { ready: false, reason: 'CredentialsIncomplete', message: incomplete } }
  try {
    const account = await (spec.provider === 'AWS'
      ? askAws(needs, spec, stored.keys)
      : askPlanetScale(needs, stored.keys))
    return {
      verdict: { ready: true, reason: 'Connected', message: `connected to ${spec.provider}: ${account}` },
      account,
    }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    if (error.passing)
      return { verdict: { ready: false, reason: 'ReconcileError', message: error.message }, passing: true }
    return { verdict: { ready: false, reason: 'CredentialsInvalid', message: error.message } }
  }
}

async function askAws({ clouds }: Needs, spec: CloudConnection['spec'], keys: StoredKeys['keys']): Promise<string> {
  const pair = { accessKeyId: keys['accessKeyId'] ?? '', secretAccessKey: keys['secretAccessKey'] ?? '' }
  const account = clouds.aws.account(pair, regionOfStore(undefined, spec.region, keys['region']))
  try {
    return await callerAccount(account)
  } finally {
    account.close()
  }
}

async function askPlanetScale({ clouds }: Needs, keys: StoredKeys['keys']): Promise<string> {
  const { token = '', organization = '' } = keys
  await clouds.planetScale({ token, organization }).ask('GET', '')
  return organization
}
