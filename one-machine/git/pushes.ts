/**
 * Delivers pushes to svc as Gitea does, by a webhook (docs/reference/githost.md#other-git-servers). A file beside the
 * repositories has the service that a repository is deployed as, and the commits that svc knows of; so each push is
 * delivered, and deploys once, however often this process ends in between.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { request } from 'undici'
import { z } from 'zod'
import { writeWhole } from '../processes/write-whole.ts'
import { defaultBranch, headsOf, repositoriesIn } from './repositories.ts'

const againAfterMs = 5_000
const answerWithinMs = 10_000
const nothing = '0'.repeat(40)

const hookForm = z.object({
  service: z.string(),
  secret: z.string(),
  /** Branch to commit. */
  known: z.record(z.string(), z.string()).default({}),
  /** The delivery under way; one that is repeated has the same ID, and svc works it off once. */
  sending: z.object({ id: z.string(), branch: z.string(), commit: z.string() }).optional(),
})
type Hook = z.output<typeof hookForm>

export interface PushesOptions {
  /** Contains the bare repositories. */
  readonly root: string
  /** Contains `<repository>.json` of each that is deployed. */
  readonly hooks: string
  /** Base URL of the api. */
  readonly api: string
  readonly say: (line: string) => void
}

export interface Pushes {
  /** From now on pushes to the repository deploy the service; what its branches have by now does not. */
  deploy(repository: string, service: string, secret: string): Promise<void>
  /** Compares the branches with what svc knows, and delivers the difference until svc has taken it. */
  look(): void
  stop(): Promise<void>
}

/** Why svc does not know of a push yet. */
interface Trouble {
  readonly why: string
  /** Whether it may end by itself; else the next push asks again. */
  readonly passing: boolean
}

export function watchPushes(options: PushesOptions): Pushes {
  const stopper = new AbortController()
  const { signal } = stopper
  const reported = new Map<string, string>()
  let isDue = false
  let working: Promise<void> | undefined
  const report = (repository: string, trouble: Trouble | undefined): void => {
    const isNew = trouble !== undefined && reported.get(repository) !== trouble.why
    if (isNew && !signal.aborted) options.say(`a push to ${repository} does not deploy: ${trouble.why}`)
    if (trouble === undefined) reported.delete(repository)
    else reported.set(repository, trouble.why)
  }
  /** False where another try may help. */
  const deliverAll = async (): Promise<boolean> => {
    let isOver = true
    for (const repository of await repositoriesIn(options.root)) {
      const trouble = await deliver(options, repository, signal)
      report(repository, trouble)
      isOver &&= trouble?.passing !== true
    }
    return isOver
  }
  const work = async (): Promise<void> => {
    while (isDue && !signal.aborted) {
      isDue = false
      if (await deliverAll()) continue
      isDue = true
      await delay(againAfterMs, undefined, { signal }).catch(() => undefined) // stopped
    }
    working = undefined
  }
  return {
    async deploy(repository, service, secret) {
      await writeHook(options.hooks, repository, { service, secret, known: await headsOf(options.root, repository) })
    },
    look() {
      isDue = true
      working ??= work()
    },
    async stop() {
      stopper.abort()
      await working
    },
  }
}

/** Undefined when svc knows of everything. */
async function deliver(options: PushesOptions, repository: string, signal: AbortSignal): Promise<Trouble | undefined> {
  try {
    return await deliverHeads(options, repository, signal)
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error), passing: !(error instanceof Unreadable) }
  }
}

async function deliverHeads(
  { root, hooks, api }: PushesOptions,
  repository: string,
  signal: AbortSignal,
): Promise<Trouble | undefined> {
  const hook = await readHook(hooks, repository)
  if (hook === undefined) return undefined
  const { service, secret, sending: begun } = hook
  const known = { ...hook.known }
  for (const [branch, commit] of Object.entries(await headsOf(root, repository))) {
    if (known[branch] === commit) continue
    const isRepeated = begun?.branch === branch && begun.commit === commit
    const sending = isRepeated ? begun : { id: randomUUID(), branch, commit }
    if (!isRepeated) await writeHook(hooks, repository, { service, secret, known, sending })
    const body = {
      ref: `refs/heads/${branch}`,
      before: known[branch] ?? nothing,
      after: commit,
      repository: { default_branch: await defaultBranch(root, repository) },
    }
    const trouble = await send(`${api}/webhooks/git/${service}`, secret, sending.id, JSON.stringify(body), signal)
    if (trouble !== undefined) return trouble
    known[branch] = commit
    await writeHook(hooks, repository, { service, secret, known })
  }
  return undefined
}

async function send(
  url: string,
  secret: string,
  id: string,
  text: string,
  signal: AbortSignal,
): Promise<Trouble | undefined> {
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gitea-event': 'push',
      'x-gitea-delivery': id,
      'x-gitea-signature': createHmac('sha256', secret).update(text).digest('hex'),
    },
    body: text,
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]),
  })
  await body.dump()
  if (statusCode === 202) return undefined
  return statusCode === 401
    ? { why: 'its service is gone, or has another secret of its webhook', passing: false }
    : { why: `the api answers ${statusCode} to the delivery`, passing: true }
}

class Unreadable extends Error {}

/** Undefined where the repository deploys nothing. Throws Unreadable, without the content: the secret is in it. */
async function readHook(folder: string, repository: string): Promise<Hook | undefined> {
  const file = join(folder, `${repository}.json`)
  if (!existsSync(file)) return undefined
  try {
    return hookForm.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    throw new Unreadable(`${file} is no JSON with service and secret`)
  }
}

async function writeHook(folder: string, repository: string, hook: Hook): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${repository}.json`)
  writeWhole(file, `${JSON.stringify(hook, undefined, 2)}\n`, 0o600)
}
