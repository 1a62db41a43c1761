/** Commands in pods: refusals of a real kube-apiserver, and one that does not answer. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { connectCluster } from '../../cluster/client.ts'
import { ClusterError } from '../../cluster/objects/errors.ts'
import { execInPod, type PodExec } from '../../cluster/pod-exec.ts'
import { useStack } from '../harness/stack.ts'

const nowhere: PodExec = { namespace: 'default', pod: 'no-such-pod', container: 'app', command: ['true'], tty: false }

async function failureOf(running: Promise<unknown>): Promise<unknown> {
  return running.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('a command in a pod', function () {
  this.timeout(60_000)

  it('is refused in the words of the cluster where there is no such pod', async () => {
    const error = await failureOf(execInPod((await useStack()).client, nowhere))
    expect(error).to.be.instanceOf(ClusterError).and.include({ status: 404, reason: 'NotFound' })
    expect(String(error)).to.contain('pods "no-such-pod" not found')
  })

  it('ends with the reason of the caller that cancels, before it is open', async () => {
    const gone = new AbortController()
    const running = failureOf(execInPod((await useStack()).client, { ...nowhere, signal: gone.signal }))
    gone.abort(new Error('the caller went away'))
    expect(String(await running)).to.equal('Error: the caller went away')
  })

  it('of a cluster that does not answer is a ClusterError, too', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-exec-'))
    const kubeconfig = join(folder, 'kubeconfig')
    const cluster = { name: 'none', cluster: { server: 'http://127.0.0.1:9' } }
    const context = { name: 'none', context: { cluster: 'none', user: 'none' } }
    const users = [{ name: 'none', user: {} }]
    await writeFile(
      kubeconfig,
      JSON.stringify({ clusters: [cluster], contexts: [context], users, 'current-context': 'none' }),
    )
    const client = connectCluster({ kubeconfig })
    try {
      const error = await failureOf(execInPod(client, nowhere))
      expect(error).to.be.instanceOf(ClusterError).and.include({ status: 0, reason: 'Unreachable' })
    } finally {
      await client.close()
      await rm(folder, { recursive: true })
    }
  })
})
