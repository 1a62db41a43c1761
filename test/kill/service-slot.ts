/**
 * A caller whose service has a promise of its own: a function, one that sleeps, one that is built. What they share is
 * the draft, as kubectl makes it, and deploys and deletion through the processes that are killed.
 */
import { type App, type AppSpec, appSpec } from '../../kinds/apps/kind.ts'
import { appState } from '../../kinds/apps/state.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { annotations, finalizers } from '../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { mintRecordName } from '../../records/apps/accept-deploy.ts'
import type { TestRecords } from '../harness/records.ts'
import type { Call } from './acceptor-calls.ts'
import { askUntilAccepted } from './ask.ts'
import { Caller } from './caller.ts'
import { holdsInTime } from './insist.ts'
import type { Chance } from './seeded.ts'
import type { World } from './world.ts'

export interface ServiceNeeds {
  world: World
  records: TestRecords
  project: string
  /** Reports a breach at once. */
  report: (breach: string) => void
}

export abstract class ServiceSlot extends Caller {
  protected readonly needs: ServiceNeeds
  readonly #prefix: string
  #lives = 0
  #uid = ''
  /** Name of the service; undefined while there is none. */
  protected name: string | undefined

  constructor(needs: ServiceNeeds, prefix: string, chance: Chance) {
    super(chance)
    this.needs = needs
    this.#prefix = prefix
  }

  /** What is missing of what the caller was promised; '' when nothing. */
  protected abstract missing(app: App): Promise<string>

  protected async untilReconciled(): Promise<void> {
    const { name } = this
    if (name === undefined) return
    let missing = ''
    const holds = async (): Promise<boolean> => {
      const app = await this.needs.records.apps.readLive(name)
      missing = app === undefined ? 'the record' : await this.missing(app)
      return missing === ''
    }
    if (!(await holdsInTime(holds))) this.needs.report(`${name} has not ended, it lacks ${missing}`)
  }

  protected async createDraft(spec: (name: string) => Partial<AppSpec>): Promise<string> {
    // Half of the new services reuse the name of the one before; each is a new service nonetheless.
    if (this.#lives === 0 || this.chance.percent(50)) this.#lives += 1
    const name = `${this.#prefix}-${this.#lives}`
    const { apps } = this.needs.records
    const wanted = draftOf(name, this.needs.project, spec(name))
    const made = await this.insist(async () => (await apps.readLive(name)) ?? (await apps.create(wanted)))
    this.#uid = made.metadata.uid ?? ''
    this.name = name
    return name
  }

  protected deploy(name: string): Promise<string> {
    return this.ask({ verb: 'deploy', name, record: mintRecordName(name) })
  }

  protected async ask(call: Call): Promise<string> {
    const attempt = await askUntilAccepted(this.needs.world, call, this.chance.whole(2))
    this.accepted += 1
    return attempt
  }

  protected async remove(name: string): Promise<void> {
    const { apps } = this.needs.records
    await this.ask({ verb: 'delete', name })
    this.name = undefined
    const isGone = async (): Promise<boolean> => (await apps.readLive(name))?.metadata.uid !== this.#uid
    if (!(await holdsInTime(isGone)))
      this.needs.report(`${name} is not gone: ${JSON.stringify((await apps.readLive(name))?.status)}`)
  }
}

export const draftOf = (name: string, project: string, spec: Partial<AppSpec>): App => ({
  apiVersion,
  kind: resourceTypes.app.kind,
  metadata: {
    name,
    namespace: systemNamespace,
    finalizers: [finalizers.app],
    annotations: { [annotations.pendingChanges]: 'created' },
  },
  spec: appSpec.parse({ project, environment: 'production', ...spec }),
})

/** What keeps a service from being at rest in one of these states with its newest attempt; '' when nothing. */
export function unrest(app: App, states: readonly string[] = ['ready']): string {
  const { story } = viewOf(app).plan
  if (story !== 'rest') return `an end of its work: ${story}`
  const { state, message } = appState(app)
  if (!states.includes(state)) return `state ${states.join(' or ')}: it is ${state}, ${message}`
  const [written, newest] = [app.status?.lastAttempt?.id, viewOf(app).attempt?.record]
  return written === newest ? '' : `an end of attempt ${newest}: the status is about ${written}`
}

/** Creates a service and deploys it for good; resolves when it is ready. */
export async function deployForGood(
  { world, records: { apps } }: Pick<ServiceNeeds, 'world' | 'records'>,
  draft: App,
): Promise<App> {
  const { name } = draft.metadata
  await apps.create(draft)
  await askUntilAccepted(world, { verb: 'deploy', name, record: `${name}-first` }, 0)
  let found: App | undefined
  const isReady = async (): Promise<boolean> => {
    found = await apps.readLive(name)
    return found !== undefined && unrest(found) === ''
  }
  if (!(await holdsInTime(isReady)) || found === undefined)
    throw new Error(`${name} lacks ${found === undefined ? 'its record' : unrest(found)}`)
  return found
}
