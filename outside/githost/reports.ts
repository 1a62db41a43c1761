/** Reports a deploy to GitHub: a status of the commit and a deployment, each looked up before it is created. */
import { z } from 'zod'
import { defined } from '../../contract/defined.ts'
import { contextOf, environmentOf, type Report, type ReportRef } from '../../kinds/builds/report.ts'
import type { Client } from './octokit.ts'
import { ownerAndName } from './repository.ts'

const perPage = 100
const text = z.string().nullish()
const statuses = z.object({
  statuses: z.array(z.object({ context: z.string(), state: z.string(), description: text, target_url: text })),
})
/** GitHub returns the payload as an object or as its JSON text. */
const deployments = z.array(z.object({ id: z.number(), payload: z.unknown() }))
const made = z.object({ id: z.number() })
const states = z.array(z.object({ state: z.string(), environment_url: text }))

/** Harmless to repeat: a state that the git host shows already is not written again. */
export async function sendReport(client: Client, repository: string, ref: ReportRef, report: Report): Promise<void> {
  await sendStatus(client, repository, ref, report)
  await sendDeployment(client, repository, ref, report)
}

async function sendStatus(client: Client, repository: string, ref: ReportRef, report: Report): Promise<void> {
  const place = ownerAndName(repository)
  const { data } = await client.request('GET /repos/{owner}/{repo}/commits/{ref}/status', {
    ...place,
    ref: ref.commit,
    per_page: perPage,
  })
  const shown = statuses.parse(data).statuses.find(({ context }) => context === contextOf(ref))
  const { status: state, description, logUrl } = report
  if (shown?.state === state && shown.description === description && (shown.target_url ?? '') === (logUrl ?? '')) return
  await client.request('POST /repos/{owner}/{repo}/statuses/{sha}', {
    ...place,
    sha: ref.commit,
    context: contextOf(ref),
    state,
    description,
    ...defined({ target_url: logUrl }),
  })
}

async function sendDeployment(client: Client, repository: string, ref: ReportRef, report: Report): Promise<void> {
  const place = ownerAndName(repository)
  const id = (await findDeployment(client, repository, ref)) ?? (await makeDeployment(client, repository, ref))
  const { data } = await client.request('GET /repos/{owner}/{repo}/deployments/{deployment_id}/statuses', {
    ...place,
    deployment_id: id,
    per_page: 1,
  })
  const [newest] = states.parse(data)
  const { deployment: state, environmentUrl, logUrl, description } = report
  if (newest?.state === state && (newest.environment_url ?? '') === (environmentUrl ?? '')) return
  await client.request('POST /repos/{owner}/{repo}/deployments/{deployment_id}/statuses', {
    ...place,
    deployment_id: id,
    state,
    description,
    auto_inactive: true,
    ...defined({ environment_url: environmentUrl, log_url: logUrl }),
  })
}

/** Finds the deployment by the name of the deploy in its payload. */
async function findDeployment(client: Client, repository: string, ref: ReportRef): Promise<number | undefined> {
  const { data } = await client.request('GET /repos/{owner}/{repo}/deployments', {
    ...ownerAndName(repository),
    sha: ref.commit,
    environment: environmentOf(ref),
    per_page: perPage,
  })
  return deployments.parse(data).find(({ payload }) => recordIn(payload) === ref.record)?.id
}

function recordIn(payload: unknown): unknown {
  if (typeof payload !== 'string') return (payload as { svc?: unknown } | null)?.svc
  return /"svc":\s*"([^"]+)"/.exec(payload)?.[1]
}

/** Without GitHub's own conditions: svc deploys whatever they are. */
async function makeDeployment(client: Client, repository: string, ref: ReportRef): Promise<number> {
  const { data } = await client.request('POST /repos/{owner}/{repo}/deployments', {
    ...ownerAndName(repository),
    ref: ref.commit,
    environment: environmentOf(ref),
    description: `Deploy of ${ref.app}`,
    payload: { svc: ref.record },
    auto_merge: false,
    required_contexts: [],
    production_environment: ref.environment === 'production',
  })
  return made.parse(data).id
}
