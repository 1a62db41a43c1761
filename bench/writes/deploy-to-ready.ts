/**
 * Bench 1: from asking for a deploy until it is ready, against kubectl and against the rollout alone, by turns. The own
 * part of each is what it takes beyond the rollout.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Line } from '../rig/line.ts'
import { createBareRollout } from '../peers/bare-rollout.ts'
import { createKubectlPeer } from '../peers/kubectl.ts'
import type { Rig } from '../rig/rig.ts'
import { createPair, createProject, deployImage, imageOfRound } from '../rig/services.ts'
import { describeMs, median, ms } from '../rig/statistics.ts'

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
  const made = { namespace: `${project}-production`, name }
  const kubectl = await createKubectlPeer(rig.stack.kubeconfig, rig.folder, made)
  const bare = await createBareRollout(rig.stack.kubeconfig, made)
  rig.atEnd(() => bare.close())
  const samples: Record<'svc' | 'kubectl' | 'rollout', number[]> = { svc: [], kubectl: [], rollout: [] }
  for (let round = 0; round < warmUps + (quick ? 3 : 25); round += 1) {
    const image = imageOfRound(round)
    await sleep(restMs)
    const { began, ended } = await deployImage(rig.client, name, image)
    await sleep(restMs)
    const byKubectl = await kubectl.deploy(image, `round-${round}`)
    await sleep(restMs)
    const rollout = await bare.deploy(image, `round-${round}`)
    if (round < warmUps) continue
    samples.svc.push(ended - began)
    samples.kubectl.push(byKubectl)
    samples.rollout.push(rollout)
  }
  const rollout = median(samples.rollout)
  const own = { svc: median(samples.svc) - rollout, kubectl: median(samples.kubectl) - rollout }
  return [
    {
      bench: 1,
      work: `deploy of a changed image to ready, 2 copies, ${cluster} nodes: ${ms(own.svc)} beyond the rollout itself, which takes ${describeMs(samples.rollout)}`,
      peer: `kubectl apply + rollout status of the same Deployment: ${ms(own.kubectl)} beyond the rollout itself`,
      ratio: own.svc / own.kubectl,
      goal: { atMost: 0.5 },
      samples: { rolloutMs: samples.rollout },
    },
    {
      bench: 1,
      work: `the same in all, from the request to the answer that says ready: ${describeMs(samples.svc)}`,
      peer: `kubectl in all: ${describeMs(samples.kubectl)}`,
      ratio: median(samples.svc) / median(samples.kubectl),
      goal: { atMost: cluster === 'node' ? 1 : 0.7 },
      samples: { svcMs: samples.svc, kubectlMs: samples.kubectl },
    },
  ]
}
