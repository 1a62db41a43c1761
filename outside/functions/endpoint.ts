/** The address at which functions are called by a process that cannot reach the addresses of Services. */
import { addressIn } from '../../kinds/meta/address-setting.ts'

/** SVC_FUNCTION_ENDPOINT, `host:port`; undefined without it. Throws for a text that is no address. */
export const functionEndpoint = (
  env: Readonly<Record<string, string | undefined>>,
): { host: string; port: number } | undefined =>
  env['SVC_FUNCTION_ENDPOINT'] === undefined ? undefined : addressIn(env, 'SVC_FUNCTION_ENDPOINT', '127.0.0.1:8088')
