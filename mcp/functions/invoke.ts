/** One call of a function: at its public address, or through svc where it has none. */
import type { Client } from '../../client/client.ts'
import { callFunction, type FunctionAnswer, type FunctionRequest } from './call.ts'
import { functionAddress, isLoopback } from './triggers.ts'

/** @throws ToolError when there is no answer, ApiError when svc refuses the call. */
export async function invokeFunction(
  client: Client,
  app: string,
  request: FunctionRequest,
  signal: AbortSignal,
): Promise<FunctionAnswer> {
  const url = await functionAddress(client, app, signal)
  if (url !== '') return await callFunction(url, request, { signal, nearby: isLoopback(client.baseUrl) })
  const { method, path, body: data = '' } = request
  const { contentType, ...answer } = await client.call('apps.invoke', { app, method, path, data }, { signal })
  return { ...answer, content_type: contentType }
}
