/**
 * Turns of the deploys that this worker begins: few at a time, as many as the controllers of the cluster keep up with.
 * These work Deployments off in the order in which they came, so a deploy of one project would stand behind all that
 * another project began before it (docs/guides/how-a-request-travels.md#many-deploys-at-once).
 */
import type { CachedDeployment } from '../../activities/context/needs.ts'
import type { ResourceCache } from '../../cluster/cache/cache.ts'
import { hasUpdatedCopy } from '../../kinds/apps/assess/health.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { Handovers } from '../client/handovers.ts'

/** A Deployment that has no copy by then may never have one, for example because a quota is used up. */
const untilFirstCopy = { perProject: 8, inAll: 8, forgottenMs: 3_000 }
/** The longest wait for a turn: a pass has to end within the time of its workflow task. */
const longestWaitMs = 3_000

interface Waiting {
  project: string
  begin: () => void
}

interface Rollout {
  /** Whether its pass has ended, so that the newest event shows what was applied. */
  isApplied: boolean
  /** Whether the newest event since the beginning of the pass shows copies. */
  hasCopy: boolean
}

export class RolloutTurns {
  readonly #handovers: Handovers
  readonly #rollouts = new Map<string, Rollout>()
  readonly #waiting = new Set<Waiting>()
  readonly stop: () => void

  /**
   * @param deployments the Deployments of services, into which a pass puts what it has applied
   * @param now milliseconds of a clock that never goes back
   */
  constructor(deployments: Pick<ResourceCache<CachedDeployment>, 'onChange'>, now?: () => number) {
    this.#handovers = new Handovers(untilFirstCopy, now)
    this.stop = deployments.onChange(({ type, object }) => {
      const app = object.metadata.labels?.[labels.app] ?? ''
      if (type === 'delete') this.end(app)
      else this.#note(app, object)
    })
  }

  /**
   * Resolves when a deploy of the service may begin: at once if few are under way, or none of the project. After it the
   * caller calls `applied` or `end`.
   */
  begin(app: string, project: string): Promise<void> {
    return new Promise((resolve) => {
      const begin = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        this.#handovers.begin(app, project)
        this.#rollouts.set(app, { isApplied: false, hasCopy: false })
        resolve()
      }
      const timer = setTimeout(begin, longestWaitMs)
      const waiting = { project, begin }
      this.#waiting.add(waiting)
      this.#beginNext()
    })
  }

  /** The Deployment of the service was applied and changed: the turn ends with its first copy. */
  applied(app: string): void {
    const rollout = this.#rollouts.get(app)
    if (rollout === undefined) return
    rollout.isApplied = true
    if (rollout.hasCopy) this.end(app)
  }

  /** The deploy of the service has changed no Deployment, or is over. */
  end(app: string): void {
    this.#rollouts.delete(app)
    this.#handovers.end(app)
    this.#beginNext()
  }

  #note(app: string, deployment: CachedDeployment): void {
    const rollout = this.#rollouts.get(app)
    if (rollout === undefined) return
    rollout.hasCopy = hasUpdatedCopy(deployment)
    if (rollout.isApplied && rollout.hasCopy) this.end(app)
  }

  #beginNext(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) next.begin()
  }

  /** The first of the project that has the fewest deploys under way. */
  #next(): Waiting | undefined {
    const mayBegin = [...this.#waiting].filter(({ project }) => this.#handovers.hasCapacity(project))
    const underWay = ({ project }: Waiting): number => this.#handovers.of(project)
    return mayBegin.toSorted((a, b) => underWay(a) - underWay(b))[0]
  }
}
