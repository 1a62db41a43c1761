/**
 * One caller's function in a kill run: deployed with new code and other schedules, run by hand and deleted at random.
 * In the end the code of the last deploy runs, alone, and Temporal has the schedules of that deploy and no others.
 */
import { ScheduleNotFoundError } from '@temporalio/client'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { scheduleId } from '../../durable/ids.ts'
import { codeName } from '../../kinds/apps/functions/function.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { Trigger } from './acceptor-calls.ts'
import { ServiceSlot, unrest } from './service-slot.ts'

type Live = KubeObject & { data?: Record<string, string> }

const weights = { code: 45, schedules: 20, run: 20, delete: 15 } as const

export const triggerOf = (name: string, schedule: string): Trigger => ({ name, schedule, path: '/', payload: '' })
const every = triggerOf('every', '* * * * *')
const others = [triggerOf('hourly', '@hourly'), triggerOf('yearly', '@yearly')] as const
const names = [every, ...others].map(({ name }) => name)

export const functionOf = (code: string, ...triggers: Trigger[]): Pick<AppSpec, 'source'> => ({
  source: { function: { runtime: 'node', mode: 'http', code, triggers } },
})

export class FunctionSlot extends ServiceSlot {
  #code = ''
  #triggers: Trigger[] = []
  #versions = 0
  /** Whether the schedules are there, so that one can be run by hand. */
  #isUp = false

  protected async change(): Promise<void> {
    const { name } = this
    if (name === undefined) return await this.#create()
    const wish = this.chance.weighed(weights)
    if (wish === 'delete') return await this.#delete(name)
    if (wish === 'run' && this.#isUp) return await this.#runByHand(name)
    if (wish === 'schedules') this.#choose()
    else this.#code = this.#nextCode()
    await this.ask({ verb: 'save-function', name, code: this.#code, triggers: this.#triggers })
    this.#isUp = false
    await this.deploy(name)
  }

  protected async missing(app: App): Promise<string> {
    const busy = unrest(app)
    if (busy !== '') return busy
    const code = await this.#codeOf(app)
    const wanted = JSON.stringify([[codeName(viewOf(app).attempt?.record ?? ''), { 'index.mts': this.#code }]])
    if (code !== wanted) return `its code alone: there is ${code} instead of ${wanted}`
    const there = await this.#schedulesOf(app.metadata.name)
    const due = this.#triggers.map(({ name }) => name).toSorted()
    const written = (app.status?.schedules ?? []).toSorted()
    if (there.join() !== due.join()) return `its schedules ${due.join()}: Temporal has ${there.join()}`
    if (written.join() !== due.join()) return `its schedules ${due.join()}: the status names ${written.join()}`
    this.#isUp = true
    return ''
  }

  async #create(): Promise<void> {
    this.#code = this.#nextCode()
    this.#choose()
    await this.deploy(await this.createDraft(() => functionOf(this.#code, ...this.#triggers)))
  }

  async #delete(name: string): Promise<void> {
    this.#isUp = false
    await this.remove(name)
    const left = await this.insist(() => this.#schedulesOf(name))
    if (left.length > 0) this.needs.report(`schedules ${left.join()} of ${name}, which is gone, are left`)
  }

  /** Temporal may begin the run and lose its answer; the run that is begun then is another one. */
  async #runByHand(name: string): Promise<void> {
    const [first, ...more] = this.#triggers
    if (first === undefined) return
    const { schedule } = this.needs.world.temporal
    await this.insist(() => schedule.getHandle(scheduleId(name, this.chance.pick([first, ...more]).name)).trigger())
  }

  #choose(): void {
    this.#triggers = [every, ...others].filter((trigger) => trigger === every || this.chance.percent(50))
  }

  #nextCode(): string {
    return `export default () => new Response('${(this.#versions += 1)} ${this.chance.whole(1_000)}')`
  }

  async #codeOf(app: App): Promise<string> {
    const { items } = await this.needs.records.client.list<Live>(coreTypes.configMap, {
      namespace: targetNamespace(app.spec),
      labelSelector: `${labels.owner}=${app.metadata.uid ?? ''}`,
    })
    return JSON.stringify(items.map(({ metadata, data }) => [metadata.name, data]))
  }

  /** Names of those that Temporal has, of all that the slot ever asks for. */
  async #schedulesOf(name: string): Promise<string[]> {
    const { schedule } = this.needs.world.temporal
    const found = await Promise.all(
      names.map(async (trigger) => {
        try {
          await schedule.getHandle(scheduleId(name, trigger)).describe()
          return [trigger]
        } catch (error) {
          if (error instanceof ScheduleNotFoundError) return []
          throw error
        }
      }),
    )
    return found.flat().toSorted()
  }
}
