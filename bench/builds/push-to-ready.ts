/** Bench 25: a push of a small change until the service is ready with it, against the same steps by hand. */
import { createByHand } from '../peers/build-by-hand.ts'
import type { Line } from '../rig/line.ts'
import type { Rig } from '../rig/rig.ts'
import { createProject } from '../rig/services.ts'
import { describeMs, describeSpread, differences, median } from '../rig/statistics.ts'
import { createBuilt, newestOf, untilBuilt } from './built.ts'
import { createRepository } from './repository.ts'

const name = 'push-to-ready'
const warmUps = 1
const goal = 1.1

export async function pushToReady(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  const { client, stack, folder } = rig
  await stack.node?.makeFunctionImages(() => undefined)
  await stack.node?.engineImages.make(['buildkit'])
  const repository = await createRepository(rig, name)
  const project = await createProject(client)
  await createBuilt(client, project, name, repository)
  await repository.commit('first')
  await repository.push()
  const { secret } = await client.call('apps.git-webhook-rotate', { app: name })
  await repository.deploy(name, secret)
  await client.call('apps.deploy', { app: name })
  await untilBuilt(client, name, '')
  const made = { namespace: `${project}-production`, name }
  const byHand = await createByHand(stack, folder, made)
  const [svc, hand]: [number[], number[]] = [[], []]
  for (let round = -warmUps; round < (quick ? 2 : 10); round += 1) {
    await repository.commit(`round ${round}`)
    const former = await newestOf(client, name)
    const began = performance.now()
    await repository.push()
    await untilBuilt(client, name, former)
    const mine = performance.now() - began
    // A change of its own: svc's builder and this one share no cache.
    const theirs = await byHand.deploy(repository.folder)
    if (round < 0) continue
    svc.push(mine)
    hand.push(theirs)
  }
  return [
    {
      bench: 25,
      work: `a push of a small change until the service is ready, warm cache: ${describeMs(svc)}; beyond the peer: ${describeSpread(differences(svc, hand))}`,
      peer: `buildctl build with a builder that runs, kubectl set image, kubectl rollout status: ${describeMs(hand)}`,
      ratio: median(svc) / median(hand),
      goal: { atMost: goal },
      samples: { svcMs: svc, byHandMs: hand },
    },
  ]
}
