/**
 * Bench 26: ten builds asked for at once against one after the other, and a build of a minute against the same build by
 * hand.
 */
import { createByHand } from '../peers/build-by-hand.ts'
import type { Line } from '../rig/line.ts'
import type { Rig } from '../rig/rig.ts'
import { createProject } from '../rig/services.ts'
import { describeMs, median, ms } from '../rig/statistics.ts'
import { createBuilt, newestOf, untilBuilt } from './built.ts'
import { type BenchRepository, createRepository } from './repository.ts'

const services = 10
const goalAtOnce = 1
const goalLong = 1.02

export async function buildsAtOnce(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  const { client, stack } = rig
  await stack.node?.makeFunctionImages(() => undefined)
  await stack.node?.engineImages.make(['buildkit'])
  const repository = await createRepository(rig, 'at-once')
  const project = await createProject(client)
  await repository.commit('at once')
  await repository.push()
  const names = Array.from({ length: quick ? 3 : services }, (_, index) => `build-${index}`)
  for (const name of names) await createBuilt(client, project, name, repository)
  const single: number[] = []
  // The first of all fetches what the others have.
  for (const name of names) single.push(await deployed(rig, name, () => client.call('apps.deploy', { app: name })))
  const began = performance.now()
  await Promise.all(names.map((app) => deployed(rig, app, () => client.call('apps.build', { app }))))
  const together = performance.now() - began
  const one = median(single)
  return [
    {
      bench: 26,
      work: `${names.length} builds asked for at once, until all are ready: ${ms(together)}`,
      peer: `as many one after the other, by the median of one: ${describeMs(single)}`,
      ratio: together / (names.length * one),
      goal: { atMost: goalAtOnce },
      samples: { atOnceMs: [together], oneMs: single },
    },
    await longBuild(rig, repository, { namespace: `${project}-production`, name: names[0] ?? '' }, quick),
  ]
}

async function deployed({ client }: Rig, app: string, ask: () => Promise<unknown>): Promise<number> {
  const former = await newestOf(client, app)
  const began = performance.now()
  await ask()
  await untilBuilt(client, app, former)
  return performance.now() - began
}

/** Each build has a step of its own that sleeps, which no cache has. */
async function longBuild(
  rig: Rig,
  repository: BenchRepository,
  made: { namespace: string; name: string },
  quick: boolean,
): Promise<Line> {
  const { client, stack, folder } = rig
  const seconds = quick ? 5 : 60
  const byHand = await createByHand(stack, folder, made)
  const [svc, hand]: [number[], number[]] = [[], []]
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    await repository.commit(`long ${round}`, [`RUN sleep ${seconds} && echo ${round}`])
    await repository.push()
    svc.push(await deployed(rig, made.name, () => client.call('apps.build', { app: made.name })))
    hand.push(await byHand.deploy(repository.folder))
  }
  return {
    bench: 26,
    work: `a build with a step of ${seconds} s until the service is ready: ${describeMs(svc)}`,
    peer: `the same by hand with a builder that runs: ${describeMs(hand)}`,
    ratio: median(svc) / median(hand),
    goal: { atMost: goalLong },
    samples: { svcMs: svc, byHandMs: hand },
  }
}
