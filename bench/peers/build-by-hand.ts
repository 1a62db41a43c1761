/**
 * The peer of a build: what a person does with a builder that runs all the time, as Docker's does: `buildctl build`,
 * which pushes, `kubectl set image`, and `kubectl rollout status`.
 */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { V1Deployment } from '@kubernetes/client-node'
import { type ClusterClient, connectCluster } from '../../cluster/client.ts'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { resolveServer, type Stack } from '../../one-machine/index.ts'
import type { Rig } from '../rig/rig.ts'
import { type Made, makePeerNamespace, manifestOf, readSameObjects } from './same-objects.ts'

type Node = NonNullable<Stack['node']>

const run = promisify(execFile)
const name = 'peer'
const port = 1234
const daemonWithinMs = 60_000
const pollMs = 200

export interface ByHand {
  /** Builds the folder; resolves with the milliseconds until its image is rolled out. */
  deploy(folder: string): Promise<number>
}

/** A builder of the same image with the same settings, and a copy of what svc made for a service. */
export async function createByHand({ kubeconfig, node }: Rig['stack'], folder: string, made: Made): Promise<ByHand> {
  if (node === undefined) throw new Error('builds are compared on a real node only')
  const registry = node.registryAddress
  const client = connectCluster({ kubeconfig })
  const namespace = `by-hand-${made.name}`
  try {
    const live = await client.get<Sent<V1Deployment>>({ type: coreTypes.deployment, ...made })
    const [container] = live?.spec?.template.spec?.containers ?? []
    if (container?.image === undefined) throw new Error(`svc made no container for ${made.name}`)
    const objects = await readSameObjects(client, made, name)
    await makePeerNamespace(client, namespace, objects)
    const [buildctl, kubectl] = await Promise.all(
      (['buildctl', 'kubectl'] as const).map((server) => resolveServer(server, { progress: () => undefined })),
    )
    const call = (...args: string[]) => run(kubectl ?? '', ['--kubeconfig', kubeconfig, '-n', namespace, ...args])
    const file = join(folder, 'build-by-hand.json')
    await writeFile(file, JSON.stringify(manifestOf(objects.deployment(container.image))))
    await call('apply', '-f', file)
    await call('rollout', 'status', `deployment/${name}`, '--timeout=120s')
    const address = await startBuilder(client, namespace, node, buildctl ?? '')
    let count = 0
    const build = async (work: string): Promise<string> => {
      const image = `${registry}/bench/by-hand:${++count}`
      const local = ['--local', `context=${work}`, '--local', `dockerfile=${work}`]
      const output = ['--output', `type=image,name=${image},push=true`]
      await run(buildctl ?? '', ['--addr', address, 'build', '--frontend', 'dockerfile.v0', ...local, ...output])
      return image
    }
    return {
      async deploy(work) {
        const began = performance.now()
        await call('set', 'image', `deployment/${name}`, `${container.name}=${await build(work)}`)
        await call('rollout', 'status', `deployment/${name}`, '--timeout=120s')
        return performance.now() - began
      },
    }
  } finally {
    await client.close()
  }
}

type BuilderPod = KubeObject & { status?: { podIP?: string } }

/** Resolves with its address, once it answers. */
async function startBuilder(
  client: ClusterClient,
  namespace: string,
  { registryAddress: registry, imageNames }: Node,
  buildctl: string,
): Promise<string> {
  const settings = `[registry."docker.io"]\n  mirrors = ["${registry}"]\n[registry."${registry}"]\n  http = true\n`
  const script = `export HOME=/work/home USER=build XDG_RUNTIME_DIR=/work/run TMPDIR=/work/tmp
mkdir -p /work/home /work/run /work/tmp && printf '%s' "$SETTINGS" >/work/buildkitd.toml
exec rootlesskit --state-dir=/work/run/rootlesskit buildkitd --config /work/buildkitd.toml --root /work/buildkit --addr tcp://0.0.0.0:${port} --oci-worker-no-process-sandbox`
  const container = {
    name: 'builder',
    image: imageNames.builder,
    command: ['sh', '-c', script],
    env: [{ name: 'SETTINGS', value: settings }],
    volumeMounts: [{ name: 'work', mountPath: '/work' }],
    securityContext: { seccompProfile: { type: 'Unconfined' } },
  }
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'builder', namespace },
    spec: {
      securityContext: { runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 },
      containers: [container],
      volumes: [{ name: 'work', emptyDir: {} }],
    },
  }
  await client.create<KubeObject>(coreTypes.pod, pod)
  for (const deadline = Date.now() + daemonWithinMs; ; await sleep(pollMs)) {
    const live = await client.get<BuilderPod>({ type: coreTypes.pod, namespace, name: 'builder' })
    const at = live?.status?.podIP
    const address = `tcp://${at}:${port}`
    const error =
      at === undefined
        ? 'it has no address'
        : await run(buildctl, ['--addr', address, 'debug', 'workers']).then(() => '', String)
    if (error === '') return address
    if (Date.now() > deadline) throw new Error(`the builder of the peer does not answer: ${error}`)
  }
}
