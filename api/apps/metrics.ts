/** `GET /apps/{name}/metrics`: honest until a metrics store is configured. */
import type { Handler } from '../handler.ts'
import type { Needs } from '../needs.ts'
import { appOf } from './scope.ts'

/** Seconds between two points of each window: about sixty points. */
const steps = { '15m': 15, '1h': 60, '6h': 360, '24h': 1440 } as const

export const metrics =
  (needs: Needs): Handler<'apps.metrics'> =>
  async (call) => {
    await appOf(needs, call)
    const { window } = call.params
    const series = { cpu: [], memory: [], network: [], networkIn: [], requests: [] }
    return { window, step: steps[window], available: false, message: 'no metrics store is configured', series }
  }
