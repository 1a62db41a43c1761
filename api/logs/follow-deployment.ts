/**
 * Follows the log of one deploy: its steps and checks as they are written, and the output of its build, from the pod
 * while that exists and from the kept log afterwards. Every line is sent once, and the stream ends with the deploy.
 */
import { ClusterError } from '../../cluster/objects/errors.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { ServerEvent } from '../../contract/operation.ts'
import { lastAttemptOf } from '../../kinds/apps/state.ts'
import { createSections, logContainers, type LogContainer, sectionTitles } from '../../kinds/builds/log.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import type { BuildPodView } from '../../kinds/builds/outcome.ts'
import { isFinished } from '../../kinds/builds/phase.ts'
import { buildsNamespace } from '../../kinds/builds/names.ts'
import { shownLine, stampedLine } from '../../kinds/logs/log-line.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { type AttemptLog, readAttemptLog } from '../../records/deployments/read-attempt-log.ts'
import type { Needs } from '../context/needs.ts'
import { buildOf, keptLog, podOfBuild } from './build-log.ts'
import { eventsOf, LineQueue } from './line-queue.ts'

/**
 * The log object is in no cache, so it is read again after `lookMs` without an event, and after `soonMs` when something
 * changed: the node may lag behind.
 */
const lookMs = 2000
const soonMs = 200
/** The time limit for the remaining lines of a build that is over; shorter where its pod is gone, too. */
const drainMs = { gone: 1000, most: 10_000 } as const
const gap = '(the lines between these are not kept)'

export interface DeploymentLine {
  section: string
  title: string
  /** RFC 3339; empty where it is not known. */
  t: string
  line: string
}

export interface FollowedDeployment {
  app: string
  id: string
  /** The steps of the deploy, which are known to some extent without its log. */
  stepsOf: (log: AttemptLog | undefined) => readonly string[]
  /** Whether the caller may continue: the service may be gone, or the caller may no longer see it. */
  mayGoOn: () => boolean
  signal: AbortSignal
}

/** The events of the stream; `end` is the last one. */
export async function* followDeployment(needs: Needs, followed: FollowedDeployment): AsyncGenerator<ServerEvent> {
  const ended = new AbortController()
  const signal = AbortSignal.any([followed.signal, ended.signal])
  const lines = new LineQueue<DeploymentLine | 'end'>(signal)
  const follower = new DeploymentFollower(needs, { ...followed, signal }, lines)
  const unlisten = follower.listen()
  const running = follower.run().catch((error: unknown) => {
    needs.log.warn({ deployment: followed.id, error: String(error) }, 'following the log of a deploy ended')
    ended.abort()
  })
  try {
    yield* eventsOf(lines)
  } finally {
    unlisten()
    ended.abort()
    await running
  }
}

class DeploymentFollower {
  readonly #needs: Needs
  readonly #followed: FollowedDeployment
  readonly #lines: LineQueue<DeploymentLine | 'end'>
  readonly #sent = new Set<string>()
  readonly #resting = new Set<() => void>()

  constructor(needs: Needs, followed: FollowedDeployment, lines: LineQueue<DeploymentLine | 'end'>) {
    this.#needs = needs
    this.#followed = followed
    this.#lines = lines
  }

  /** Reads again as soon as the service, a build of it or the pod of a build changes. */
  listen(): () => void {
    const { apps, builds, pods } = this.#needs.caches
    const { app, signal } = this.#followed
    const wake = (concerns: boolean): void => {
      if (concerns) for (const resume of this.#resting) resume()
    }
    const stop = [
      apps.onChange(({ object }) => wake(object.metadata.name === app)),
      builds.onChange(({ object }) => wake(object.spec.app === app)),
      pods.onChange(({ object }) => wake(object.metadata.namespace === buildsNamespace)),
    ]
    signal.addEventListener('abort', () => wake(true), { once: true })
    return () => stop.forEach((each) => each())
  }

  async run(): Promise<void> {
    const { signal, mayGoOn, app, id } = this.#followed
    let following: { name: string; isOver: boolean; end: Promise<void> } | undefined
    while (!signal.aborted && mayGoOn()) {
      const isOver = this.#isOver() // before the log is read, which then has all of it
      const build = buildOf(this.#needs.caches, app, id)
      if (build !== undefined && build.metadata.name !== following?.name && following?.isOver !== false)
        following = this.#follow(build)
      await this.#sendSteps()
      if (isOver && following?.isOver !== false) break
      await this.#rest()
    }
    await following?.end
    if (!signal.aborted) await this.#lines.put('end')
  }

  #follow(build: Build) {
    const following = { name: build.metadata.name, isOver: false, end: Promise.resolve() }
    following.end = this.#followBuild(build).finally(() => {
      following.isOver = true
      for (const resume of this.#resting) resume()
    })
    following.end.catch(() => undefined) // its failure ends the loop that waits for it
    return following
  }

  /** Whether no more lines are written: the deploy has ended, or another one was accepted after it. */
  #isOver(): boolean {
    const app = this.#needs.caches.apps.get(this.#followed.app, systemNamespace)
    const last = app === undefined ? undefined : lastAttemptOf(app)
    return last?.id !== this.#followed.id || last.phase !== 'Running'
  }

  /** Sends the lines of the log object that were not sent yet. */
  async #sendSteps(): Promise<void> {
    const log = await this.#readLog()
    for (const { id, title, lines } of log?.sections ?? [])
      for (const line of lines) await this.#sendOnce({ section: id, title, t: '', line })
    for (const line of this.#followed.stepsOf(log))
      await this.#sendOnce({ section: 'deploy', title: 'Deploy', t: line.split(' ', 1)[0] ?? '', line })
  }

  async #sendOnce(line: DeploymentLine): Promise<void> {
    const key = `${line.section} ${line.line}`
    if (this.#sent.has(key)) return
    this.#sent.add(key)
    await this.#lines.put(line)
  }

  #readLog(): Promise<AttemptLog | undefined> {
    return readAttemptLog(this.#needs.client, this.#followed.id)
  }

  /** Follows one container after the other, until both have ended and all of their lines were sent. */
  async #followBuild(build: Build): Promise<void> {
    const sectionOf = createSections()
    for (const container of logContainers) {
      const log = new ContainerLog((raw) => {
        const { section, t, line } = sectionOf(container, raw)
        return this.#lines.put({ section, title: sectionTitles[section], t, line: shownLine(line) })
      })
      while (!this.#followed.signal.aborted && !(await this.#readContainer(build, container, log))) await this.#rest()
    }
  }

  /** Returns whether all lines of the container were read. */
  async #readContainer(build: Build, container: LogContainer, log: ContainerLog): Promise<boolean> {
    const pod = podOfBuild(this.#needs.caches, build)
    let isDrained = true
    if (pod !== undefined) {
      const hasEnded = await this.#hasEnded(pod.metadata.name, container)
      const read = await this.#readPod(pod.metadata.name, build, container, log)
      if (hasEnded && !read.advanced) return true
      isDrained = read.isDrained
    }
    const isOver = this.#isBuildOver(build)
    if (!isDrained || (pod !== undefined && !isOver)) return false
    const kept = keptLog(await this.#readLog(), build)?.[container]
    if (kept !== undefined) await log.addKept(kept)
    return isOver || kept !== undefined
  }

  #isBuildOver({ metadata }: Build): boolean {
    const current = this.#needs.caches.builds.get(metadata.name, systemNamespace)
    return current === undefined || current.metadata.uid !== metadata.uid || isFinished(current)
  }

  /** The log of a pod whose node is lost would never end: what was kept of it is used then. */
  async #readPod(pod: string, build: Build, container: LogContainer, log: ContainerLog) {
    const drained = new AbortController()
    const signal = AbortSignal.any([this.#followed.signal, drained.signal])
    const timers = new Map<number, NodeJS.Timeout>()
    const look = (): void => {
      const ms = podOfBuild(this.#needs.caches, build) === undefined ? drainMs.gone : drainMs.most
      if (this.#isBuildOver(build) && !timers.has(ms))
        timers.set(
          ms,
          setTimeout(() => drained.abort(), ms),
        )
    }
    look()
    this.#resting.add(look)
    const uid = `${build.metadata.uid ?? ''}/${container}`
    const wanted = { namespace: buildsNamespace, pod, container, uid, sinceSeconds: undefined }
    log.again()
    let advanced = false
    try {
      for await (const raw of this.#needs.podFollows.follow({ ...wanted, last: log.last, signal }))
        if (await log.add(raw)) advanced = true
    } catch (error) {
      // The container has not started, or the connection broke: it is read again.
      if (!(error instanceof ClusterError)) throw error
    } finally {
      for (const timer of timers.values()) clearTimeout(timer)
      this.#resting.delete(look)
    }
    return { advanced, isDrained: drained.signal.aborted }
  }

  /** Read before the log, so that the log is complete when the container has ended. */
  async #hasEnded(name: string, container: LogContainer): Promise<boolean> {
    const ref = { type: coreTypes.pod, namespace: buildsNamespace, name }
    const { status } = (await this.#needs.client.get<KubeObject & BuildPodView>(ref)) ?? {}
    const seen = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
    const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed'
    return isOver || seen.find((each) => each.name === container)?.state?.terminated !== undefined
  }

  #rest(): Promise<void> {
    if (this.#followed.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      let timer = setTimeout(done, lookMs)
      const resting = this.#resting
      function done(): void {
        resting.delete(soon)
        resolve()
      }
      function soon(): void {
        clearTimeout(timer)
        timer = setTimeout(done, soonMs)
      }
      resting.add(soon)
    })
  }
}

/** Knows how far the log of a container was sent, since it may be read again, from its pod or from the stored copy. */
class ContainerLog {
  readonly #send: (raw: string) => Promise<void>
  #cursor = { t: '', count: 0 }
  /** The cursor at the time at which the log was last begun again. */
  #from = this.#cursor
  #repeated = 0

  constructor(send: (raw: string) => Promise<void>) {
    this.#send = send
  }

  get last(): string {
    return this.#cursor.t
  }

  again(): void {
    this.#from = { ...this.#cursor }
    this.#repeated = 0
  }

  /** Whether the line is new. Times only grow, since the container writes to one output alone. */
  async add(raw: string): Promise<boolean> {
    const { t } = stampedLine(raw)
    if (t < this.#from.t) return false
    if (t === this.#from.t && this.#repeated < this.#from.count) {
      this.#repeated += 1
      return false
    }
    this.#cursor = t === this.#cursor.t ? { t, count: this.#cursor.count + 1 } : { t, count: 1 }
    await this.#send(raw)
    return true
  }

  async addKept(lines: readonly string[]): Promise<void> {
    this.again()
    const [first = ''] = lines
    if (this.last !== '' && stampedLine(first).t > this.last) await this.#send(gap)
    for (const raw of lines) await this.add(raw)
  }
}
