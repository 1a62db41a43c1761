/**
 * The place and name of a new record: an existing environment, or the whole cluster, and a name that no other resource
 * has there.
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
  /** By the cache: whether a record of the kind has the name anywhere, or one of another kind has it in the place. */
  taken(kind: PlacedKind, name: string, place: Place): boolean
  /**
   * Whether a record of another kind has the name in the place, read live: the cache may not have what another process
   * made a moment ago.
   */
  takenNow(kind: PlacedKind, name: string, place: Place): Promise<boolean>
  /** Whether a record of the kind has the name anywhere, read live: the cache may still have a deleted one. */
  heldNow(kind: PlacedKind, name: string): Promise<boolean>
}

/** An environment of a project; both fields empty: the whole cluster. */
export interface Place {
  project: string
  environment: string
}

/**
 * How many names are generated in a row: a further one is needed only when another process took the name between its
 * choice and the write.
 */
const generatedNames = 5

/**
 * Makes a record with the given name, or with a generated one that is free; `reserved` names cannot be chosen. Names
 * are checked against the cache first: when `make` finds that another process has just taken a generated name, the next
 * is tried. Throws Problem when project or environment do not exist or the name is taken, and what `make` throws.
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
 * Creates the record, then checks its name and place again, uncached. A creation of the same name as another kind does
 * the same, and the workflow of the project looks for records after an environment was archived: at least one of two
 * such writes sees the other, and undoes its own or deletes the record. `confirm` checks further conditions and throws
 * a Problem. Throws Problem not_found, invalid_request; NameUsed for the name.
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
    const { uid = '', creationTimestamp: at = '' } = created.metadata
    if (refusal instanceof Problem) await store.remove(name, uid, { actor: '', at })
    throw refusal
  }
  return created
}

/**
 * Throws Problem: not_found for a project that does not exist, invalid_request for an environment that the project does
 * not have.
 */
export async function refuseMissingPlace(
  { project, environment }: Place,
  projects: RecordStore<Project>,
): Promise<void> {
  if (project !== '') refuseNotThere(await readWithEnvironment(projects, project, environment), environment)
}

/**
 * As `refuseMissingPlace`, on the live project: after a write, the cache may not show that the place was removed
 * before.
 */
export async function refuseLostPlace({ project, environment }: Place, projects: RecordStore<Project>): Promise<void> {
  if (project !== '') refuseNotThere(await projects.readLive(project), environment)
}

function refuseNotThere(project: Project | undefined, environment: string): void {
  if (project === undefined) throw new Problem('not_found', 'project not found')
  if (project.metadata.deletionTimestamp !== undefined) throw refuse('the project is being deleted')
  refuseUnknownEnvironment(project, environment)
}

/** Another resource has the name in this place. */
export class NameUsed extends Problem {
  constructor(name: string) {
    super('invalid_request', `the name ${name} is already used`)
  }
}
