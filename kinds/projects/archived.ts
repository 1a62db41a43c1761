/**
 * The archived environments that still have to be emptied: an intent of its own, since an environment may be archived
 * before its namespace was ever made.
 */
import { annotations } from '../meta/annotations.ts'
import type { Project } from './kind.ts'

export function archivedEnvironments({ metadata }: Pick<Project, 'metadata'>): string[] {
  return (metadata.annotations?.[annotations.archived] ?? '').split(',').filter((name) => name !== '')
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
