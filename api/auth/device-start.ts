/** `POST /auth/device`: step 1 of a device sign-in. */
import { deviceLifetimeSeconds, devicePollSeconds } from '../../contract/limits.ts'
import { Problem, refusals } from '../../contract/problem.ts'
import { dashboardUrlOf } from '../../kinds/platform/address.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const deviceStart =
  ({ signIn, tokens, caches }: Needs): Handler<'auth.device-start'> =>
  async ({ params: { clientName }, origin }) => {
    if (!(await signIn.deviceStarts.admit(origin.peer))) throw new Problem('rate_limited', refusals.tooManySignIns)
    await tokens.sweepUnfetched()
    const { deviceCode, userCode } = await signIn.devices.start(clientName.trim(), origin.address)
    const configured = dashboardUrlOf(caches.platformConfig.list()[0]?.spec)
    const verificationUri = `${configured ?? origin.baseUrl}/device`
    return {
      deviceCode,
      userCode,
      verificationUri,
      verificationUriComplete: `${verificationUri}?code=${userCode}`,
      expiresIn: deviceLifetimeSeconds,
      interval: devicePollSeconds,
    }
  }
