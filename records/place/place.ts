/**
 * Where a new record goes: an environment that exists (or the whole cluster), under a name that nothing else has there.
 */
import { randomInt } from 'node:crypto'
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { Problem, refuse } from '../../contract/problem.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { twoWords } from '../../kinds/two-words.ts'
import { readWithEnvironment, refuseUnknownEnvironment } from './project-environment.ts'
import type { RecordStore } from '../store/record-store.ts'
import { refuseInvalid } from '../store/refuse-invalid.ts'

export interface PlaceNeeds {
  projects: RecordStore<Project>
  names: PlacedNames
}

export type PlacedKind = 'app' | 'database' | 'logicalDatabase' | 'objectStore'

export interface PlacedNames {
  /** From the cache: the same kind has the name anywhere, or another kind in the environment. */
  taken(kind: PlacedKind, name: string, place: Place): boolean
  /** The same of other kinds, uncached: what another process made this moment is not in the cache. */
  takenNow(kind: PlacedKind, name: string, place: Place): Promise<boolean>
  /** Whether the same kind has the name anywhere, uncached: the cache may still have what is gone. */
  heldNow(kind: PlacedKind, name: string): Promise<boolean>
}

/** Both empty: the whole cluster. */
export interface Place {
  project: string
  environment: string
}

/** Names that are generated in a row; each is in vain only when that very one was taken between choice and write. */
const generatedNames = 5

/**
 * Makes a record of the given name, or of a generated one that nothing has yet; `reserved` names cannot be chosen.
 * Names are compared with the cache first: where `make` finds that another process has taken a generated one this
 * moment, the next is tried. Throws Problem when project or environment are not there or the name is taken, and what
 * `make` throws.
 */
export async function makeNamed<Made>(
  needs: PlaceNeeds,
  kind: PlacedKind,
  place: Place,
  wanted: string | undefined,
  make: (name: string) => Promise<Made>,
  reserved: readonly string[] = [],
): Promise<Made> {
  await refuseMissingPlace(place, needs.projects)
  const isTaken = (name: string) => needs.names.taken(kind, name, place)
  if (wanted !== undefined && wanted !== '') {
    const isUsed = async () =>
      (await needs.names.heldNow(kind, wanted)) || (await needs.names.takenNow(kind, wanted, place))
    if (reserved.includes(wanted) || (isTaken(wanted) && (await isUsed()))) throw new NameUsed(wanted)
    return make(wanted)
  }
  for (let tried = 1; ; tried += 1) {
    try {
      return await make(twoWords(isTaken, randomInt))
    } catch (error) {
      if (!(error instanceof NameUsed) || tried === generatedNames) throw error
    }
  }
}

/**
 * Creates the record and then looks again, uncached. A creation of the same name as another kind does the same, and the
 * workflow of the project looks for records after an archive of the environment was written: at least one of two such
 * writes sees the other, and undoes its own or deletes what was made. `confirm` throws a Problem for what
 * else must hold. Throws Problem not_found, invalid_request; NameUsed for the name.
 */
export async function createPlaced<T extends KubeObject & { spec: Place }>(
  needs: PlaceNeeds,
  kind: PlacedKind,
  store: RecordStore<T>,
  record: T,
  confirm: (created: T) => Promise<void> = async () => undefined,
): Promise<T> {
  const { name } = record.metadata
  const created = await store.create(record).catch((error: unknown) => {
    if (isAlreadyExists(error)) throw new NameUsed(name)
    return refuseInvalid(error)
  })
  try {
    const [taken] = await Promise.all([
      needs.names.takenNow(kind, name, created.spec),
      refuseLostPlace(created.spec, needs.projects),
    ])
    if (taken) throw new NameUsed(name)
    await confirm(created)
  } catch (refusal) {
    if (refusal instanceof Problem) await store.remove(name, created.metadata.uid ?? '')
    throw refusal
  }
  return created
}

/** Throws Problem: not_found for a project that is not there, invalid_request for an environment it does not have. */
export async function refuseMissingPlace(
  { project, environment }: Place,
  projects: RecordStore<Project>,
): Promise<void> {
  if (project !== '') refuseNotThere(await readWithEnvironment(projects, project, environment), environment)
}

/**
 * The same of what the cluster holds now: after a write, the cache may not show yet that the place was removed before
 * it.
 */
export async function refuseLostPlace({ project, environment }: Place, projects: RecordStore<Project>): Promise<void> {
  if (project !== '') refuseNotThere(await projects.readLive(project), environment)
}

function refuseNotThere(project: Project | undefined, environment: string): void {
  if (project === undefined) throw new Problem('not_found', 'project not found')
  if (project.metadata.deletionTimestamp !== undefined) throw refuse('the project is being deleted')
  refuseUnknownEnvironment(project, environment)
}

/** Something else has the name there. */
export class NameUsed extends Problem {
  constructor(name: string) {
    super('invalid_request', `the name ${name} is already used`)
  }
}
