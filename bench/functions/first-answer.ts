/** Bench 21: a function from its draft to its first answer on a real node, against kubectl with the same objects. */
import { type ClusterClient, connectCluster } from '../../cluster/client.ts'
import { createKubectlFunction } from '../peers/kubectl-function.ts'
import type { Line } from '../rig/line.ts'
import type { Rig } from '../rig/rig.ts'
import { createProject } from '../rig/services.ts'
import { describeMs, median } from '../rig/statistics.ts'
import { firstAnswer } from './answers.ts'

const warmUps = 1
const goal = 1.1
const code = "export default () => new Response('answered')"

export async function functionToAnswer(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  await rig.stack.node?.makeFunctionImages(() => undefined)
  const cluster = connectCluster({ kubeconfig: rig.stack.kubeconfig })
  try {
    const { svc, kubectl } = await measure(rig, cluster, quick ? 2 : 15)
    return [
      {
        bench: 21,
        work: `a function from its draft to its first answer, on a node: ${describeMs(svc)}`,
        peer: `kubectl apply of the same objects to the first answer: ${describeMs(kubectl)}`,
        ratio: median(svc) / median(kubectl),
        goal: { atMost: goal },
        samples: { svcMs: svc, kubectlMs: kubectl },
      },
    ]
  } finally {
    await cluster.close()
  }
}

async function measure({ client, stack, folder }: Rig, cluster: ClusterClient, rounds: number) {
  const project = await createProject(client)
  const namespace = `${project}-production`
  const [svc, kubectl]: [number[], number[]] = [[], []]
  let peer: Awaited<ReturnType<typeof createKubectlFunction>> | undefined
  for (let round = -warmUps; round < rounds; round += 1) {
    const app = `function-${round + warmUps}`
    const draft = { source: 'function', runtime: 'node', code, draft: true } as const
    await client.call('apps.create', { project, environment: 'production', name: app, ...draft })
    const began = performance.now()
    await client.call('apps.deploy', { app })
    const mine = (await firstAnswer(cluster, namespace, app)) - began
    peer ??= await createKubectlFunction(stack.kubeconfig, folder, cluster, { namespace, name: app })
    const theirs = await peer.toAnswer()
    await client.call('apps.delete', { app, confirmName: app })
    if (round < 0) continue
    svc.push(mine)
    kubectl.push(theirs)
  }
  return { svc, kubectl }
}
