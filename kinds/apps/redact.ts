/** A service's spec for callers who cannot change things (spec, Authentication 5): no code, no values, no names of variables or secrets. */

import type { AppSpec, AppStatus, LastAttempt } from './kind.ts'

export function redactedApp(spec: AppSpec): AppSpec {
  const { secretRef: _, build: __, ...kept } = spec
  return { ...kept, source: redactedSource(spec.source), env: [], envFrom: [], sharedVariableRefs: [], configData: {} }
}

/** The status without the image that runs and that was frozen, and without names in what it says. */
export function redactedAppStatus(status: AppStatus | undefined): AppStatus {
  const { image: _, frozenImage: __, conditions, lastAttempt, ...kept } = status ?? {}
  return {
    ...kept,
    ...(conditions === undefined ? {} : { conditions: conditions.map((condition) => ({ ...condition, message: withoutNames(condition.message) })) }),
    ...(lastAttempt === undefined ? {} : { lastAttempt: attemptWithoutNames(lastAttempt) }),
  }
}

/** Where a message goes on with words of the kubelet or of a reference: they name Secrets, keys and variables. */
const naming = /(the container cannot be started \(\w+\)|the secret variables cannot be read|the shared variable)(: | ).*/s

/** What a service says, cut before the first name of a Secret or variable. */
export const withoutNames = (message: string): string => message.replace(naming, '$1')

export const attemptWithoutNames = (last: LastAttempt): LastAttempt => ({
  ...last,
  ...(last.summary === undefined ? {} : { summary: withoutNames(last.summary) }),
  ...(last.errors === undefined ? {} : { errors: last.errors.map(withoutNames) }),
})

function redactedSource({ image, git, function: fn }: AppSpec['source']): AppSpec['source'] {
  if (git !== undefined) return { git: { ...git, repository: '', branch: '', commit: '', watchPatterns: [], connectionRef: undefined } }
  if (fn !== undefined) return { function: { ...fn, code: '', triggers: [] } }
  return image === undefined ? {} : { image: { image: '' } }
}
