/**
 * Bench 1: from asking for a deploy until it is ready, against kubectl and against the rollout alone, by turns. What
 * the rollout takes is the same for all three, so each side's own part is what it takes beyond that.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createBareClient } from '../peers/bare-client.ts'
import { createKubectlPeer } from '../peers/kubectl.ts'
import { readRequests } from '../rig/audit-log.ts'
import type { Line } from '../rig/line.ts'
import { describeDeployCost, type DeploySpan } from '../rig/deploy-cost.ts'
import type { Rig } from '../rig/rig.ts'
import { createPair, createProject, deployImage, imageOfRound } from '../rig/services.ts'
import { describeMs, describeSpread, differences, median } from '../rig/statistics.ts'
import { countTemporal } from '../rig/temporal-actions.ts'

const name = 'deploy-to-ready'
const warmUps = 3
/** Old copies go and the machine calms down before the next measurement. */
const restMs = 600
const goalOwn = 0.5

interface Measured {
  readonly svc: readonly number[]
  readonly kubectl: readonly number[]
  readonly rollout: readonly number[]
  /** What svc's deploys cost in requests and actions, in words. */
  readonly cost: string
}

export async function deployToReady(
  rig: Rig,
  { quick, cluster }: { quick: boolean; cluster: 'simulated' | 'node' },
): Promise<Line[]> {
  const { svc, kubectl, rollout, cost } = await measure(rig, quick ? 3 : 25)
  const own = differences(svc, rollout)
  const kubectlOwn = differences(kubectl, rollout)
  return [
    {
      bench: 1,
      work: `own part of svc in a deploy of a changed image, 2 copies, ${cluster} nodes: ${describeSpread(own)}; the rollout alone: ${describeSpread(rollout)}; ${cost}`,
      peer: `own part of kubectl apply + rollout status: ${describeSpread(kubectlOwn)}`,
      ratio: median(own) / median(kubectlOwn),
      goal: { atMost: goalOwn },
      samples: { svcOwnMs: own, kubectlOwnMs: kubectlOwn, rolloutMs: rollout },
    },
    {
      bench: 1,
      work: `deploy of a changed image to ready, 2 copies, ${cluster} nodes, rollout included: ${describeMs(svc)}`,
      peer: `kubectl apply + rollout status of the same Deployment: ${describeMs(kubectl)}`,
      ratio: median(svc) / median(kubectl),
      goal: { atMost: cluster === 'node' ? 1 : 0.7 },
      samples: { svcMs: svc, kubectlMs: kubectl },
    },
  ]
}

async function measure(rig: Rig, rounds: number): Promise<Measured> {
  const project = await createProject(rig.client)
  await createPair(rig.client, project, name)
  // The first one brings the probe that decides when a copy is ready: the peers' copies have to be ready by the same
  // rule.
  await deployImage(rig.client, name, imageOfRound(1))
  const made = { namespace: `${project}-production`, name }
  const peer = await createKubectlPeer(rig.stack.kubeconfig, rig.folder, made)
  const bare = await createBareClient(rig.stack.kubeconfig, made)
  const svc: number[] = []
  const kubectl: number[] = []
  const rollout: number[] = []
  const spans: DeploySpan[] = []
  let before = await countTemporal(rig.temporalMetrics)
  try {
    for (let round = -warmUps; round < rounds; round += 1) {
      const image = imageOfRound(round + warmUps)
      if (round === 0) before = await countTemporal(rig.temporalMetrics)
      const { began, ended } = await deployImage(rig.client, name, image)
      const wall = Date.now() - performance.now()
      await sleep(restMs)
      const span = { began: began + wall, ended: ended + wall, atRest: Date.now() }
      const theirs = await peer.deploy(image)
      await sleep(restMs)
      const alone = await bare.deploy(image)
      await sleep(restMs)
      if (round < 0) continue
      svc.push(ended - began)
      kubectl.push(theirs)
      rollout.push(alone)
      spans.push(span)
    }
  } finally {
    await bare.close()
  }
  const after = await countTemporal(rig.temporalMetrics)
  const temporal = {
    actions: (after.actions - before.actions) / rounds,
    writes: (after.writes - before.writes) / rounds,
  }
  return { svc, kubectl, rollout, cost: describeDeployCost(await readRequests(rig.auditLog), spans, temporal) }
}
