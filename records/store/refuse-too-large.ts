/** The size limit of a record's spec, refused in plain words before the API server does it in its own. */
import { recordSpecBytes } from '../../contract/limits.ts'
import { refuse } from '../../contract/problem.ts'

/**
 * Throws Problem invalid_request for a spec over 96 KiB: annotations hold copies of it
 * (docs/reference/deployments.md#size-of-a-record).
 */
export function refuseTooLarge(spec: object): void {
  const size = Buffer.byteLength(JSON.stringify(spec))
  if (size > recordSpecBytes)
    throw refuse(
      `the settings and variables together must be at most ${recordSpecBytes / 1024} KiB, these are ${Math.ceil(size / 1024)} KiB`,
    )
}
