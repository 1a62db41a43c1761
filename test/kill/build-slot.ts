/**
 * One caller's service from git in a kill run: pushed to, deployed, cancelled, robbed of its build's pod and deleted at
 * random. Each accepted build ends, and the head of the branch runs in the end unless its own build came to nothing.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { isFinished } from '../../kinds/builds/phase.ts'
import { buildsNamespace } from '../../kinds/builds/names.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { cancelBuild } from '../../records/builds/cancel-build.ts'
import { Problem } from '../../contract/problem.ts'
import { commitOf, pushOf, repositoryOf } from './git-host.ts'
import { ServiceSlot, unrest } from './service-slot.ts'

const weights = { push: 50, deploy: 15, cancel: 10, evict: 10, delete: 15 } as const

export class BuildSlot extends ServiceSlot {
  /** The newest commit of its branch. */
  #head = ''
  /** Whether the newest build may have been cancelled or have lost its pod. */
  #isDisturbed = false
  /** Every name that its services had. */
  readonly names = new Set<string>()

  protected async change(): Promise<void> {
    const { name } = this
    if (name === undefined) return await this.#create()
    const wish = this.chance.weighed(weights)
    if (wish === 'delete') return await this.remove(name)
    if (wish === 'cancel' || wish === 'evict') return await this.#disturb(name, wish)
    this.#isDisturbed = false
    if (wish === 'deploy') return void (await this.deploy(name))
    await this.#push(name)
  }

  protected async missing(app: App): Promise<string> {
    const busy = unrest(app, this.#isDisturbed ? ['ready', 'failed', 'draft'] : ['ready'])
    if (busy !== '') return busy
    const open = this.#builds(app).find((build) => !isFinished(build) || build.status?.jobRef !== undefined)
    if (open !== undefined) return `an end of build ${open.metadata.name}: ${JSON.stringify(open.status)}`
    const runs = viewOf(app).lastDeployed?.source.git?.commit ?? ''
    const image = app.status?.image ?? ''
    return this.#isDisturbed || image.includes(this.#head.slice(0, 12))
      ? ''
      : `its head ${this.#head}: ${image} runs, of commit ${runs}`
  }

  async #create(): Promise<void> {
    this.#isDisturbed = false
    this.#head = commitOf(this.chance)
    const name = await this.createDraft((branch) => {
      this.#moveHead(branch)
      const git = { repository: repositoryOf(this.needs.project), branch }
      return { source: { git } as never } // the schema fills in the rest
    })
    this.names.add(name)
    await this.deploy(name)
  }

  async #push(name: string): Promise<void> {
    this.#head = commitOf(this.chance)
    this.#moveHead(name)
    await this.ask(pushOf(repositoryOf(this.needs.project), name, this.#head))
  }

  /** Each service has a branch of its own name. */
  #moveHead(branch: string): void {
    this.needs.world.outside.git.github.contents.heads.set(branch, this.#head)
  }

  /** Cancels the build that goes on, or deletes its pod by hand. */
  async #disturb(name: string, how: 'cancel' | 'evict'): Promise<void> {
    const { records } = this.needs
    const app = await this.insist(() => records.apps.readLive(name))
    const open = app === undefined ? undefined : this.#builds(app).find((build) => !isFinished(build))
    if (open === undefined) return
    this.#isDisturbed = true
    if (how === 'cancel') {
      await this.insist(() => cancelBuild(records.builds, open.metadata.name).catch(passRefusal))
      return
    }
    await this.insist(async () => {
      const { items } = await records.client.list<KubeObject>(coreTypes.pod, {
        namespace: buildsNamespace,
        labelSelector: `${labels.owner}=${open.metadata.uid ?? ''}`,
        metadataOnly: true,
      })
      for (const { metadata } of items)
        await records.client.delete({ type: coreTypes.pod, namespace: buildsNamespace, name: metadata.name })
    })
  }

  #builds({ metadata }: App): Build[] {
    return this.needs.records.builds.cache.list().filter(({ spec }) => spec.app === metadata.name)
  }
}

/** It has just ended. */
function passRefusal(error: unknown): void {
  if (!(error instanceof Problem) || error.code !== 'invalid_request') throw error
}
