/** The sample that is built from git: a service of the sample's repository, which a push to it deploys again. */
import { describeDeploy, type WaitOptions } from '../../client/wait/deploy.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { GitServer } from '../git/server.ts'
import { sampleName } from '../git/repositories.ts'
import type { RunningNode } from '../node/start.ts'
import { type Demo, environment, findAddress, untilDeployed } from './demo.ts'

const service = 'sample'
/** A build of its kind takes seconds, where the builder's image is there. */
const readyWithinMs = 600_000

export interface GitSampleOptions {
  readonly demo: Demo
  readonly git: GitServer
  readonly node: Pick<RunningNode, 'engineImages'>
  readonly cluster: ClusterClient
  readonly report: (line: string) => void
}

/**
 * Creates the service, has its pushes delivered, and builds it; resolves with one line. Its builder and its base image
 * have to be there or to come by themselves. Rejects with one sentence.
 */
export async function deployGitSample({ demo, git, node, cluster, report }: GitSampleOptions): Promise<string> {
  const { client, project } = demo
  await node.engineImages.makeWhereNeeded(report, ['buildkit'])
  const source = { source: 'git', repository: git.sample, branch: 'main' } as const
  await client.call('apps.create', { project, environment, name: service, replicas: 1, ...source })
  const { secret } = await client.call('apps.git-webhook-rotate', { app: service })
  await git.deploy(sampleName, service, secret)
  await client.call('apps.deploy', { app: service })
  let step = ''
  const onStatus: WaitOptions['onStatus'] = (status) => {
    const { detail } = describeDeploy(status)
    if (detail !== step && detail !== '') report(`${service}: ${detail}`)
    step = detail
  }
  await untilDeployed({ client, app: service, timeoutMs: readyWithinMs, onStatus }, 'the sample from git')
  const address = await findAddress({ client, cluster, project, service })
  return `the service ${service}, built from ${git.sample}, is ready${address === undefined ? '' : ` at ${address}`}; a push deploys it again: ${git.cloneCommand}`
}
