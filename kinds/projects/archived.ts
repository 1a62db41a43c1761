/**
 * The archived environments that still have to be emptied: an intent of its own, since an environment may be archived
 * before its namespace was ever made.
 */
import { annotations } from '../meta/annotations.ts'
import { environmentName } from '../schema/fields.ts'
import type { Project } from './kind.ts'

/** A text that kubectl added and no environment can be named after is left out: it has nothing to be emptied. */
export function archivedEnvironments({ metadata }: Pick<Project, 'metadata'>): string[] {
  return (metadata.annotations?.[annotations.archived] ?? '')
    .split(',')
    .filter((name) => environmentName.safeParse(name).success)
}

/** The record with exactly these environments to be emptied. */
export function withArchived(project: Project, environments: readonly string[]): Project {
  const { [annotations.archived]: _, ...others } = project.metadata.annotations ?? {}
  const noted = [...new Set(environments)].sort().join(',')
  return {
    ...project,
    metadata: {
      ...project.metadata,
      annotations: { ...others, ...(noted === '' ? {} : { [annotations.archived]: noted }) },
    },
  }
}
