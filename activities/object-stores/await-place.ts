/** Waits for the environment of a bucket; the object server runs in svc-system, which always exists. */
import { isObjectServer } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { awaitEnvironment } from '../context/environment-ready.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { type Pass, waiting } from '../provision/step.ts'

export const awaitPlace =
  (needs: ActivityNeeds): Pass<ObjectStore> =>
  async ({ spec }) => {
    const wait = isObjectServer(spec) ? undefined : await awaitEnvironment(needs, spec)
    return wait === undefined ? undefined : waiting(wait.message)
  }
