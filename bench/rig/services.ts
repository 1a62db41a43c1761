/** Services as the benches need them: a project, many new ones at once, and the wait until they are ready. */
import { setTimeout as sleep } from 'node:timers/promises'
import { judgeDeploy } from '../../client/wait/deploy.ts'
import type { Client } from '../../client/client.ts'

/** Small enough that thousands fit on the simulated nodes. */
const size = { cpu: '5m', memory: '16Mi' }
/** Enough that a real container starts without being held back. */
const realSize = { cpu: '200m', memory: '64Mi' }
const environment = 'production'
const images = ['svc/hello:1', 'svc/hello:2'] as const

const projectReadyWithinMs = 30_000
const readyWithinMs = 600_000
const projectPollMs = 100
const listPollMs = 500
/** A status read takes about a millisecond; asking more often would only heat the machine. */
const statusPollMs = 10
const inFlight = 16

/** Resolves with the project's id when services can be deployed into it. */
export async function createProject(client: Client): Promise<string> {
  const { project } = await client.call('projects.create', {})
  for (const deadline = Date.now() + projectReadyWithinMs; ; await sleep(projectPollMs)) {
    const { resource } = await client.call('projects.get', { project })
    if (resource.state === 'ready') return project
    if (Date.now() > deadline) throw new Error(`project ${project} stays ${resource.state}: ${resource.message}`)
  }
}

/** Creates services that are deployed at once, several requests at a time. */
export function createServices(client: Client, project: string, names: readonly string[]): Promise<void> {
  return forEach(names, (name) =>
    client.call('apps.create', { project, environment, name, image: images[0], replicas: 1, deploy: true, ...size }),
  )
}

/** Saves an image and deploys it, for many services, several requests at a time; does not wait until they are ready. */
export function deployImages(client: Client, names: readonly string[], image: string): Promise<void> {
  return forEach(names, (app) => client.call('apps.update', { app, image, deploy: true }))
}

/** One service with two copies that real nodes can run, too; resolves when it is ready. */
export async function createPair(client: Client, project: string, name: string): Promise<void> {
  await client.call('apps.create', {
    project,
    environment,
    name,
    image: images[0],
    replicas: 2,
    deploy: true,
    ...realSize,
  })
  await untilReady(client, project, 1)
}

export function createDrafts(client: Client, project: string, names: readonly string[]): Promise<void> {
  return forEach(names, (name) =>
    client.call('apps.create', { project, environment, name, image: images[0], draft: true, ...size }),
  )
}

/** Several at a time. */
export async function forEach(names: readonly string[], create: (name: string) => Promise<unknown>): Promise<void> {
  const waiting = names.values()
  const work = async (): Promise<void> => {
    for (const name of waiting) await create(name)
  }
  await Promise.all(Array.from({ length: inFlight }, work))
}

/**
 * Resolves when the list shows this many ready services of the project, with that image when one is given; throws when
 * one failed.
 */
export async function untilReady(client: Client, project: string, count: number, image?: string): Promise<void> {
  for (const deadline = Date.now() + readyWithinMs; ; await sleep(listPollMs)) {
    const { items } = await client.call('apps.list', { project })
    const failed = items.find((item) => item.state === 'failed')
    if (failed !== undefined) throw new Error(`service ${failed.name} failed: ${failed.message}`)
    const ready = items.filter(
      (item) => item.state === 'ready' && (image === undefined || item.details['image'] === image),
    ).length
    if (ready >= count) return
    if (Date.now() > deadline) throw new Error(`only ${ready} of ${count} services are ready`)
  }
}

/** Times of one deploy, milliseconds of performance.now(). */
export interface Deployed {
  /** Before the request. */
  readonly began: number
  /** When a status read said that the attempt is complete. */
  readonly ended: number
}

/** Saves another image and deploys it in one request; `onAsked` is called as soon as the request is on its way. */
export async function deployImage(client: Client, app: string, image: string, onAsked?: () => void): Promise<Deployed> {
  const before = await client.call('apps.status', { app })
  const began = performance.now()
  // A copy that can be asked counts as up when it answers; one that cannot is watched for a while first.
  const asked = client.call('apps.update', { app, image, readinessPath: '/healthz', deploy: true })
  onAsked?.()
  await asked
  for (;;) {
    const verdict = judgeDeploy(await client.call('apps.status', { app }), {
      before,
      elapsedMs: performance.now() - began,
    })
    const ended = performance.now()
    if (verdict.kind === 'complete') return { began, ended }
    if (verdict.kind === 'failed') throw new Error(`the deploy of ${app} failed: ${verdict.reason}`)
    if (ended - began > readyWithinMs) throw new Error(`the deploy of ${app} does not end`)
    await sleep(statusPollMs)
  }
}

/** The two sample images by turns. */
export const imageOfRound = (round: number): string => images[(round + 1) % images.length] ?? images[0]
