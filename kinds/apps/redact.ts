/**
 * A service's spec for callers who cannot change things (docs/reference/conventions.md#redaction): no code, no values,
 * no names of variables or secrets.
 */
import { defined } from '../../contract/defined.ts'
import { conditionsWithoutNames, withoutNames } from '../meta/without-names.ts'
import type { AppSpec, AppStatus, LastAttempt } from './kind.ts'

export function redactedApp(spec: AppSpec): AppSpec {
  const { secretRef: _, build: __, ...kept } = spec
  return { ...kept, source: redactedSource(spec.source), env: [], envFrom: [], sharedVariableRefs: [], configData: {} }
}

/** The status without images, schedules and earlier deploys, and without names in its messages. */
export function redactedAppStatus(status: AppStatus | undefined): AppStatus {
  const { image: _, frozenImage: __, schedules: ___, history: ____, lastAttempt, ...kept } = status ?? {}
  return {
    ...conditionsWithoutNames(kept),
    ...(lastAttempt === undefined ? {} : { lastAttempt: attemptWithoutNames(lastAttempt) }),
  }
}

export const attemptWithoutNames = (last: LastAttempt): LastAttempt => ({
  ...last,
  ...(last.summary === undefined ? {} : { summary: withoutNames(last.summary) }),
  ...defined({ errors: last.errors?.map(withoutNames) }),
})

function redactedSource({ image, git, function: fn }: AppSpec['source']): AppSpec['source'] {
  if (git !== undefined)
    return { git: { ...git, repository: '', branch: '', commit: '', watchPatterns: [], connectionRef: undefined } }
  if (fn !== undefined) return { function: { ...fn, code: '', triggers: [] } }
  return image === undefined ? {} : { image: { image: '' } }
}
