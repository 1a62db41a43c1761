/**
 * One caller's pull requests in a kill run, one after the other: opened, brought to new commits and closed. Each
 * environment ends as open at the newest commit or as gone, with one comment.
 */
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { appState } from '../../kinds/apps/state.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { GitHubServer } from '../harness/github.ts'
import type { TestRecords } from '../harness/records.ts'
import { askUntilAccepted } from './ask.ts'
import { Caller } from './caller.ts'
import { commitOf, installation, repositoryOf } from './git-host.ts'
import { holdsInTime } from './insist.ts'
import type { Chance } from './seeded.ts'
import type { World } from './world.ts'

export interface PullRequestNeeds {
  world: World
  records: TestRecords
  /** Its base environment has these services, of which the first is built from the repository. */
  project: string
  services: readonly string[]
  /** Reports a breach at once. */
  report: (breach: string) => void
}

export class PullRequestSlot extends Caller {
  readonly #needs: PullRequestNeeds
  #number = 0
  /** Newest commit of the open one; '' while none is open. */
  #commit = ''

  constructor(needs: PullRequestNeeds, chance: Chance) {
    super(chance)
    this.#needs = needs
  }

  protected async change(): Promise<void> {
    const isOpen = this.#commit !== ''
    if (!isOpen) this.#number += 1
    const closes = isOpen && this.chance.percent(40)
    const commit = closes ? this.#commit : commitOf(this.chance)
    await this.#happens(commit, closes ? 'closed' : 'open')
    this.#commit = closes ? '' : commit
  }

  protected async untilReconciled(): Promise<void> {
    if (this.#number === 0) return
    let missing = ''
    const holds = async (): Promise<boolean> => {
      missing = await (this.#commit === '' ? this.#remains() : this.#missing())
      return missing === ''
    }
    if (!(await holdsInTime(holds))) this.#needs.report(`${this.#environment} has not ended, it lacks ${missing}`)
  }

  get #environment(): string {
    return `pr-${this.#number}`
  }

  async #happens(commit: string, state: 'open' | 'closed'): Promise<void> {
    const { world, project } = this.#needs
    const repository = repositoryOf(project)
    this.#github.pulls.set(`${repository}#${this.#number}`, { state, commit, from: repository })
    const body = {
      number: this.#number,
      repository: { full_name: repository },
      installation: { id: installation },
    }
    const delivery = `pull-${this.#number}-${state}-${commit}`
    await askUntilAccepted(world, { verb: 'deliver', event: 'pull_request', delivery, body }, this.chance.whole(2))
    this.accepted += 1
  }

  get #github(): GitHubServer {
    return this.#needs.world.outside.git.github
  }

  /** What is missing of an open one; '' when nothing. */
  async #missing(): Promise<string> {
    const { records, services } = this.#needs
    for (const [place, service] of services.entries()) {
      const copy = await records.apps.readLive(`${service}-${this.#environment}`)
      if (copy === undefined) return `the copy of ${service}`
      const { state, message } = appState(copy)
      if (state !== 'ready') return `a ready copy of ${service}: it is ${state}, ${message}`
      const at = viewOf(copy).lastDeployed?.source.git?.commit ?? ''
      if (place === 0 && at !== this.#commit) return `its commit ${this.#commit}: ${at} runs`
    }
    return this.#said(
      (text) => text.includes(this.#commit.slice(0, 7)) && text.match(/ ready /g)?.length === services.length,
    )
  }

  /** What is left of one that was closed; '' when nothing. */
  async #remains(): Promise<string> {
    const { records, project, services } = this.#needs
    const { spec, status } = (await records.projects.readLive(project)) ?? {}
    const names = [...(spec?.environments ?? []), ...(status?.environments ?? []).map(({ name }) => name)]
    if (names.includes(this.#environment)) return 'its end: the project still has it'
    for (const service of services)
      if ((await records.apps.readLive(`${service}-${this.#environment}`)) !== undefined)
        return `an end of the copy of ${service}`
    const namespace = namespaceOf(project, this.#environment)
    if ((await records.client.get({ type: coreTypes.namespace, name: namespace })) !== undefined)
      return `an end of ${namespace}`
    // Nothing is said of one that was closed before svc had looked at it.
    return this.#comments.length === 0 ? '' : this.#said((text) => text.includes('The environment is gone'))
  }

  get #comments(): string[] {
    const said = this.#github.comments.get(`${repositoryOf(this.#needs.project)}#${this.#number}`) ?? []
    return said.map(({ body }) => body)
  }

  #said(isWanted: (text: string) => boolean): string {
    const [comment, ...more] = this.#comments
    if (more.length > 0) return `one comment: there are ${more.length + 1}`
    return comment !== undefined && isWanted(comment) ? '' : `a comment about that: ${comment}`
  }
}
