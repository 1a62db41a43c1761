/** Bench 1: from asking for a deploy until it is ready, against kubectl, by turns. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Line } from '../rig/line.ts'
import { createKubectlPeer } from '../peers/kubectl.ts'
import type { Rig } from '../rig/rig.ts'
import { createPair, createProject, deployImage, imageOfRound } from '../rig/services.ts'
import { describeMs, median } from '../rig/statistics.ts'

const name = 'deploy-to-ready'
const warmUps = 3
/** Old copies go and the machine calms down before the next measurement. */
const restMs = 600

export async function deployToReady(
  rig: Rig,
  { quick, cluster }: { quick: boolean; cluster: 'simulated' | 'node' },
): Promise<Line[]> {
  const project = await createProject(rig.client)
  await createPair(rig.client, project, name)
  // The first one brings the probe that decides when a copy is ready: the peer's copies have to be ready by the same
  // rule.
  await deployImage(rig.client, name, imageOfRound(1))
  const kubectl = await createKubectlPeer(rig.stack.kubeconfig, rig.folder, {
    namespace: `${project}-production`,
    name,
  })
  const own: number[] = []
  const peer: number[] = []
  for (let round = 0; round < warmUps + (quick ? 3 : 25); round += 1) {
    await sleep(restMs)
    const { began, ended } = await deployImage(rig.client, name, imageOfRound(round))
    await sleep(restMs)
    const theirs = await kubectl.deploy(imageOfRound(round))
    if (round < warmUps) continue
    own.push(ended - began)
    peer.push(theirs)
  }
  return [
    {
      bench: 1,
      work: `deploy of a changed image to ready, 2 copies, ${cluster} nodes: ${describeMs(own)}`,
      peer: `kubectl apply + rollout status of the same Deployment: ${describeMs(peer)}`,
      ratio: median(own) / median(peer),
      goal: { atMost: cluster === 'node' ? 1 : 0.7 },
      samples: { svcMs: own, kubectlMs: peer },
    },
  ]
}
