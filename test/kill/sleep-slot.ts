/**
 * One caller's service that sleeps when idle in a kill run: deployed asleep, asked, and kept from sleeping at random.
 * Each request is answered, whatever is killed meanwhile.
 */
import type { V1Deployment } from '@kubernetes/client-node'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { sleepTypes } from '../../kinds/meta/resource-types.ts'
import { ServiceSlot, unrest } from './service-slot.ts'

const weights = { request: 40, deploy: 25, toggle: 25, delete: 10 } as const
const requestsAtOnce = 5

const sleepsWhen = (enabled: boolean): Pick<AppSpec, 'scaleToZero'> => ({ scaleToZero: { enabled, idleSeconds: 60 } })
const hostOf = (name: string): string => `${name}.sleep.test`

export class SleepSlot extends ServiceSlot {
  #sleeps = true
  /** Whether it was ready since it was made: from then on every request is answered. */
  #hasRun = false

  protected async change(): Promise<void> {
    const { name } = this
    if (name === undefined) return await this.#create()
    const wish = this.#hasRun ? this.chance.weighed(weights) : 'deploy'
    if (wish === 'delete') {
      this.#hasRun = false
      return await this.remove(name)
    }
    if (wish === 'request') return await this.#request(name)
    if (wish === 'deploy') return void (await this.deploy(name))
    this.#sleeps = !this.#sleeps
    await this.insist(() =>
      this.needs.records.apps.edit(name, (app) => ({ ...app, spec: { ...app.spec, ...sleepsWhen(this.#sleeps) } })),
    )
  }

  protected async missing(app: App): Promise<string> {
    const busy = unrest(app)
    if (busy !== '') return busy
    const { scaleToZero, sleeping } = app.status ?? {}
    if ((scaleToZero?.active ?? false) !== this.#sleeps) return `a word of its sleep: ${JSON.stringify(scaleToZero)}`
    const { client } = this.needs.records
    const place = { namespace: targetNamespace(app.spec), name: app.metadata.name }
    const [live, route, scaler] = await Promise.all([
      client.get<Sent<V1Deployment>>({ type: coreTypes.deployment, ...place }),
      client.get<KubeObject>({ type: sleepTypes.route, ...place }),
      client.get<KubeObject>({ type: sleepTypes.scaler, ...place }),
    ])
    const [copies, due] = [live?.spec?.replicas, this.#sleeps ? 0 : app.spec.replicas]
    if (copies !== due) return `${due} copies: there are ${copies}`
    if ((sleeping ?? false) !== this.#sleeps) return `a status that says ${this.#sleeps ? 'asleep' : 'awake'}`
    const parts = [route, scaler].filter((part) => part !== undefined).length
    if (parts !== (this.#sleeps ? 2 : 0)) return `${this.#sleeps ? 'both' : 'none'} of the add-on's objects: ${parts}`
    this.#hasRun = true
    return ''
  }

  async #create(): Promise<void> {
    this.#sleeps = true
    this.#hasRun = false
    const name = await this.createDraft((host) => ({
      source: { image: { image: 'svc/hello:1' } },
      ...sleepsWhen(true),
      ingress: { host: hostOf(host), path: '/', tlsEnabled: false, rules: [] } as never,
    }))
    await this.deploy(name)
  }

  async #request(name: string): Promise<void> {
    const { world, project, report } = this.needs
    const namespace = namespaceOf(project, 'production')
    const answers = await Promise.all(
      Array.from({ length: requestsAtOnce }, () => world.addOn.request(hostOf(name), namespace)),
    )
    for (const why of new Set(answers)) if (why !== '') report(`a request to ${name} was not answered: ${why}`)
  }
}
