/**
 * A display name belongs to one project. Two projects may be renamed to it at the same moment by two processes, so a
 * rename has three steps, each a conditional write or a live read:
 * 1. The project notes the name, with a mark of this rename.
 * 2. All projects are read. The name is refused where another project has it; a note of it on another is removed.
 * 3. The name is written, which is refused where the note is gone.
 * Of two renames the one that noted the name last reads the note or the name of the other, so at most one of them gets
 * it; two that read each other's note are both refused. A process that dies leaves its note, which stops no one: who
 * wants the name removes it.
 */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { refuse } from '../../contract/problem.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { parseAnnotation } from '../../kinds/meta/parse-annotation.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { editProjectRecord, type ProjectNeeds } from './edit-project.ts'

const schema = z.object({ displayName: z.string(), id: z.string() })

export interface NameClaim {
  /** The note as the project has it. */
  note: string
  /** The version of the project with the note. */
  version: string | undefined
}

/** Steps 1 and 2. Throws Problem not_found, invalid_request. */
export async function claimName(
  needs: ProjectNeeds,
  name: string,
  displayName: string,
  ifMatch?: string,
): Promise<NameClaim> {
  const note = JSON.stringify({ displayName, id: randomBytes(6).toString('hex') })
  const noted = await editProjectRecord(needs, name, (project) => withNote(project, note), ifMatch)
  for (const other of await needs.projects.listLive()) {
    refuseTakenName([other], noted, displayName)
    if (other.metadata.name === name || wantedName(other) !== displayName) continue
    await needs.projects.edit(other.metadata.name, (current) => {
      refuseTakenName([current], noted, displayName)
      return wantedName(current) === displayName ? withNote(current, undefined) : undefined
    })
  }
  return { note, version: noted.metadata.resourceVersion }
}

/** For step 3: the project without the note. Throws Problem invalid_request where another rename has removed it. */
export function withClaimed(project: Project, claim: NameClaim | undefined, displayName: string): Project {
  const isNoted = claim !== undefined && project.metadata.annotations?.[annotations.naming] === claim.note
  if (!isNoted && displayName !== project.spec.displayName)
    throw refuse('another project is being given this name; try again in a moment')
  return isNoted ? withNote(project, undefined) : project
}

/** A display name is free again as soon as its project is being deleted. `others` are live: replicas rename, too. */
export function refuseTakenName(others: readonly Project[], project: Project, displayName: string): void {
  if (displayName === project.spec.displayName) return
  const holds = ({ metadata, spec }: Project): boolean =>
    metadata.name !== project.metadata.name &&
    metadata.deletionTimestamp === undefined &&
    spec.displayName === displayName
  if (others.some(holds)) throw refuse('another project has this name')
}

const wantedName = ({ metadata }: Project): string | undefined =>
  parseAnnotation(metadata, annotations.naming, schema).value?.displayName

function withNote(project: Project, note: string | undefined): Project {
  const { [annotations.naming]: _, ...others } = project.metadata.annotations ?? {}
  const noted = note === undefined ? others : { ...others, [annotations.naming]: note }
  return { ...project, metadata: { ...project.metadata, annotations: noted } }
}
