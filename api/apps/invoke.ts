/** A call of a function by a person, through svc (docs/reference/functions.md#a-call-by-hand). */
import type { V1Deployment, V1Service } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { functionCallSeconds, openInvocations } from '../../contract/limits.ts'
import { refuse } from '../../contract/problem.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { invokeOnce } from '../../outside/functions/invoke.ts'
import type { FunctionTarget } from '../../outside/functions/request.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { createOpenCalls } from '../context/open-calls.ts'
import { appOf } from './service-of-call.ts'

/**
 * `POST /api/apps/{app}/invoke`: sends one request to the running function and returns its answer, whatever the status.
 */
export const invoke = (needs: Needs): Handler<'apps.invoke'> => {
  const open = createOpenCalls(openInvocations, 'calls of functions')
  return async (call) => {
    const { method, path, data: body } = call.params
    call.respond.audit({ method })
    call.respond.header('Cache-Control', 'no-store')
    const app = await appOf(needs, call)
    const leave = open.enter(call.caller)
    try {
      const target = await targetOf(needs, app)
      const limits = { withinMs: functionCallSeconds * 1000, signal: call.signal }
      return await invokeOnce(target, { method, path, body }, limits)
    } catch (error) {
      throw error instanceof UpstreamError ? refuse(error.message, error) : error
    } finally {
      leave()
    }
  }
}

/**
 * The cluster IP of the Service that svc made for this very function: no DNS name is resolved. A Service without a copy
 * behind it may drop what is sent to it, so the call would have to wait for its whole time.
 */
async function targetOf({ client, functionEndpoint }: Needs, app: App): Promise<FunctionTarget> {
  const { name, uid } = app.metadata
  const spec = viewOf(app).effectiveSpec
  if (app.spec.source.function === undefined) throw refuse(`${name} is not a function`)
  if (spec?.source.function === undefined) throw refuse('deploy the function before you call it')
  if (app.status?.scaleToZero?.active === true)
    throw refuse('the function sleeps when idle; call it at its public address, which wakes it')
  const namespace = app.status?.targetNamespace ?? targetNamespace(spec)
  const [service, workload] = await Promise.all([
    client.get<Sent<V1Service>>({ type: coreTypes.service, namespace, name }),
    client.get<Sent<V1Deployment>>({ type: coreTypes.deployment, namespace, name }),
  ])
  const address = service?.metadata.labels?.[labels.owner] === uid ? (service?.spec?.clusterIP ?? '') : ''
  if (address === '' || address === 'None') throw refuse('the function has no address in the cluster yet')
  if ((workload?.status?.readyReplicas ?? 0) === 0) throw refuse('no copy of the function is ready')
  return { ...(functionEndpoint ?? { host: address, port: 80 }), authority: `${name}.${namespace}.svc` }
}
