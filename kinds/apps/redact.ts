/** A service's spec for callers who cannot change things (spec, Authentication 5): no code, no values, no names of variables or secrets. */

import type { AppSpec, AppStatus } from './kind.ts'

export function redactedApp(spec: AppSpec): AppSpec {
  const { secretRef: _, build: __, ...kept } = spec
  return { ...kept, source: redactedSource(spec.source), env: [], envFrom: [], sharedVariableRefs: [], configData: {} }
}

/** The status without the image that runs and that was frozen. */
export function redactedAppStatus(status: AppStatus | undefined): AppStatus {
  const { image: _, frozenImage: __, ...kept } = status ?? {}
  return kept
}

function redactedSource({ image, git, function: fn }: AppSpec['source']): AppSpec['source'] {
  if (git !== undefined) return { git: { ...git, repository: '', branch: '', commit: '', watchPatterns: [], connectionRef: undefined } }
  if (fn !== undefined) return { function: { ...fn, code: '', triggers: [] } }
  return image === undefined ? {} : { image: { image: '' } }
}
