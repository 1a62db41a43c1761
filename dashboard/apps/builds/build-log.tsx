/** The stages of a build whose deploy goes on, with the lines as they are written. */
import { useMemo, useSyncExternalStore } from 'react'
import { followBuild } from './build-lines.ts'
import { BuildStages } from './build-stages.tsx'
import { stagesOf, type Said } from './stages.ts'

interface Props {
  readonly app: string
  readonly id: string
  /** Those of the deploy. */
  readonly steps: readonly Said[]
}

export function LiveBuildStages({ app, id, steps }: Props) {
  const source = useMemo(() => followBuild(app, id), [app, id])
  const { sections, lost } = useSyncExternalStore(source.subscribe, source.snapshot)
  return (
    <>
      <BuildStages stages={stagesOf(sections, steps)} />
      {lost !== '' && (
        <p role="status" className="text-xs text-muted">
          Not following: {lost}
        </p>
      )}
    </>
  )
}
