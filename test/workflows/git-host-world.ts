/** A git host, its app on the cluster, and a project whose production environment is connected to it. */
import { randomInt } from 'node:crypto'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { githubApp, type GitHubServer, startGitHub } from '../harness/github.ts'
import { createProject, type TestRecords, useRecords } from '../harness/records.ts'
import { withoutWorker } from '../harness/worker.ts'
import { builderEnv } from './build-world.ts'
import { untilSetUp } from './service-world.ts'

export interface GitHostWorld {
  records: TestRecords
  github: GitHubServer
  api: TestApi
  project: Project
  /** Of this world alone: services that other tests left would be deployed at its commits. */
  installation: number
  close(): Promise<void>
}

/** For the worker. */
export const workerEnv = ({ url }: GitHubServer): Record<string, string> => ({
  ...builderEnv,
  SVC_GITHUB_URL: url,
  SVC_GITHUB_API_URL: url,
})

/** `startWorker` starts the worker of the test; the shared one does not run beside it. */
export async function openGitHostWorld(
  startWorker: (github: GitHubServer) => Promise<unknown>,
  options: Parameters<typeof startTestApi>[0] = {},
): Promise<GitHostWorld> {
  await withoutWorker()
  const installation = randomInt(1_000, 1_000_000)
  const github = await startGitHub()
  github.repositories.set(installation, ['acme/web'])
  await startWorker(github)
  const records = await useRecords()
  const project = await createProject(records, { gitHosts: [{ environment: 'production', installation }] })
  await untilSetUp(records, project)
  const api = await startTestApi(options)
  const token = await api.token({ role: 'admin' })
  await api.ask('POST', '/api/settings/githost/save', { token, form: githubApp })
  const close = async (): Promise<void> => {
    await Promise.all([api.stop(), github.stop()])
    const namespace = systemNamespace
    await records.client.delete({ type: resourceTypes.platformConfig, namespace, name: 'platform' })
    await records.client.delete({ type: coreTypes.secret, namespace, name: 'platform-githost' })
  }
  return { records, github, api, project, installation, close }
}
