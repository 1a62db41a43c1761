/** What the pages of a project share: how it is read, and which of its environments the address chooses. */
import type { ReactNode } from 'react'
import type { View } from '../../contract/operations.ts'
import { useRead } from '../data/queries.ts'
import { Gone } from '../ui/gone.tsx'
import { Skeleton } from '../ui/notice.tsx'
import { Shown } from '../ui/read.tsx'
import type { Summary } from '../ui/resources.tsx'

interface Props {
  /** The project's ID. */
  readonly name: string
  readonly children: (project: View<'projects.get'>) => ReactNode
}

export function ShownProject({ name, children }: Props) {
  const project = useRead('projects.get', { project: name })
  return (
    <Shown
      of={project}
      what="the project"
      loading={<Skeleton rows={5} height={48} label="Loading the project" />}
      gone={<Gone what="project" name={name} />}
    >
      {children}
    </Shown>
  )
}

export function environmentsOf({ details }: Summary): string[] {
  const names = details['environments']
  return Array.isArray(names) ? names.map(String) : []
}

/** The environment in the address where the project has it, else its first one; '' for a project without any. */
export function chosenEnvironment(project: Summary, wanted: string | undefined): string {
  const environments = environmentsOf(project)
  return environments.find((each) => each === wanted) ?? environments[0] ?? ''
}
