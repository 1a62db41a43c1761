/** docs/guides/ci.md as it is written: its commands and jobs, step by step as CI systems run them, on a real api. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { buildCli } from '../../cli/bundle.ts'
import { startTestApi, type TestApi, testUsers } from '../api/test-api.ts'
import { useWorker } from '../harness/worker.ts'

/** The parts of the two systems' files that the page uses. */
interface GithubJob {
  env: Record<string, string>
  steps: { id?: string; run: string }[]
  outputs: Record<string, string>
}
interface GitlabJob {
  variables: Record<string, string>
  environment: { url: string }
  script: string[]
  artifacts: { reports: { dotenv: string } }
}
/** The parts of the api's answers that the tests read. */
interface Answered {
  project?: string
  items?: { image: string }[]
}
interface Ended {
  code: number
  out: string
  err: string
}

const host = 'storefront.example.com'
const shell = { github: ['-e'], gitlab: ['-eo', 'pipefail'] }

describe('the guide of deploys from CI', function () {
  this.timeout(180_000)
  let page: string
  let api: TestApi
  let admin: string
  let folder: string
  let shelf: Server
  /** What the CI system knows: its variables and its secret. */
  let known: Record<'SVC_URL' | 'SVC_TOKEN' | 'SVC_DOWNLOAD', string>

  before(async () => {
    page = await readFile(join(import.meta.dirname, '../../docs/guides/ci.md'), 'utf8')
    const [started] = await Promise.all([startTestApi(), useWorker()])
    api = started
    folder = await mkdtemp(join(tmpdir(), 'svc-ci-'))
    const program = await readFile(await buildCli())
    shelf = createServer((_, response) => response.end(program)).listen(0, '127.0.0.1')
    await once(shelf, 'listening')
    admin = await api.token({ name: 'ci-guide', role: 'admin' })
    const { project } = await ask('POST', '/projects')
    await ask('PATCH', `/projects/${project}`, { displayName: 'store' })
    const service = { name: 'storefront', project, environment: 'production', image: 'nginx:1', host }
    await ask('POST', '/apps', service)
    known = {
      SVC_URL: api.baseUrl,
      SVC_TOKEN: await tokenOfThePage(),
      SVC_DOWNLOAD: `http://127.0.0.1:${(shelf.address() as AddressInfo).port}/svc`, // on TCP, so no path
    }
  })
  after(async () => {
    await ask('DELETE', '/apps/storefront', { confirmName: 'storefront' })
    shelf.close()
    await rm(folder, { recursive: true })
    await api.stop()
  })

  const ask = async (method: string, path: string, json?: object): Promise<Answered> => {
    const answer = await api.ask(method, `/api/v1${path}`, { token: admin, ...(json === undefined ? {} : { json }) })
    expect(answer.status, `${method} ${path}: ${answer.text}`).to.be.below(300)
    return answer.body as Answered
  }

  /** One script, with nothing in its environment but this. */
  const bash = async (script: string, flags: readonly string[], env: Record<string, string>): Promise<Ended> => {
    const child = spawn('bash', ['--noprofile', '--norc', ...flags, '-c', script], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, ...env },
    })
    const said = { out: '', err: '' }
    child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()))
    await once(child, 'close')
    return { code: child.exitCode ?? -1, ...said }
  }
  const blocksOf = (language: string): string[] =>
    [...page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, text = '']) => text)
  const runsNow = async (): Promise<unknown> => {
    const { items } = await ask('GET', '/apps/storefront/deployments')
    return items?.[0]?.image
  }

  /** Its value, printed by the page's own command; `npx svc` is what a clone of svc has. */
  async function tokenOfThePage(): Promise<string> {
    const [command = ''] = page.match(/npx svc tokens create-for-environment .*/) ?? []
    const bin = join(folder, 'bin')
    await mkdir(bin)
    await writeFile(join(bin, 'npx'), `#!/bin/sh\nshift\nexec '${await buildCli()}' "$@"\n`)
    await chmod(join(bin, 'npx'), 0o755)
    const { code, out, err } = await bash(command, ['-e'], {
      PATH: `${bin}:${process.env['PATH']}`,
      SVC_URL: api.baseUrl,
      SVC_PASSWORD: testUsers.admin.password,
    })
    expect([code, err]).to.deep.equal([0, ''])
    return /svp_\w+/.exec(out)?.[0] ?? ''
  }

  /** Runs the steps as GitHub does, each in a shell of its own, until one fails. */
  async function github(sha: string, secrets: Partial<typeof known> = {}) {
    const [text = ''] = blocksOf('yaml')
    const job = (parse(text) as { jobs: { deploy: GithubJob } }).jobs.deploy // the page has this very shape
    const values: Record<string, string> = { 'github.sha': sha }
    for (const [name, value] of Object.entries({ ...known, ...secrets }))
      values[`${name === 'SVC_TOKEN' ? 'secrets' : 'vars'}.${name}`] = value
    const filled = (given: string): string =>
      given.replaceAll(/\$\{\{ (\S+) \}\}/g, (whole, name: string) => values[name] ?? whole)
    const GITHUB_OUTPUT = join(folder, `output-${sha}`)
    const env = {
      GITHUB_OUTPUT,
      ...Object.fromEntries(Object.entries(job.env).map(([key, value]) => [key, filled(value)])),
    }
    let last: Ended = { code: 0, out: '', err: '' }
    for (const { id = '', run } of job.steps) {
      last = await bash(run, shell.github, env)
      if (last.code !== 0) break
      for (const line of (await readFile(GITHUB_OUTPUT, 'utf8').catch(() => '')).split('\n')) {
        const [name = '', ...value] = line.split('=')
        if (name !== '') values[`steps.${id}.outputs.${name}`] = value.join('=')
      }
    }
    return { ...last, url: filled(job.outputs['url'] ?? '') }
  }

  it('has a script that deploys an image, waits, and prints the address', async () => {
    const [script = ''] = blocksOf('sh')
    const image = 'registry.example.com/team/storefront:by-hand'
    const { code, out, err } = await bash(script, ['-e'], { ...known, IMAGE: image })
    expect([code, err]).to.deep.equal([0, ''])
    expect(out).to.match(/ storefront is ready after \d+s: /)
    expect(out.trim().split('\n').at(-1)).to.match(new RegExp(`^storefront runs ${image} at https?://${host}/?$`))
    expect(await runsNow()).to.equal(image)
    expect(out + err).not.to.include(known.SVC_TOKEN)
  })

  it('has a job for GitHub Actions whose output is the address', async () => {
    const { code, url, err } = await github('c0ffee1')
    expect([code, err]).to.deep.equal([0, ''])
    expect(new URL(url).host).to.equal(host)
    expect(await runsNow()).to.equal('registry.example.com/team/storefront:c0ffee1')
  })

  it('has a job for GitLab that leaves the address to its environment', async () => {
    const [, text = ''] = blocksOf('yaml')
    const { deploy } = parse(text) as { deploy: GitlabJob } // the page has this very shape
    const CI_COMMIT_SHA = 'c0ffee2'
    const variables: Record<string, string> = {}
    for (const [name, value] of Object.entries(deploy.variables))
      variables[name] = value.replace('$CI_COMMIT_SHA', CI_COMMIT_SHA)
    const { code, err } = await bash(deploy.script.join('\n'), shell.gitlab, {
      ...known,
      ...variables,
    })
    expect([code, err]).to.deep.equal([0, ''])
    const report = await readFile(join(folder, deploy.artifacts.reports.dotenv), 'utf8')
    const { url } = deploy.environment
    expect(report).to.match(new RegExp(`^${url.replace('$', '')}=https?://${host}/?\n$`))
    expect(await runsNow()).to.equal(`registry.example.com/team/storefront:${CI_COMMIT_SHA}`)
  })

  it('has a command for all that is saved in the environment', async () => {
    const [command = ''] = page.match(/\.\/svc tokens deploy --wait/) ?? []
    const image = 'registry.example.com/team/storefront:all'
    await ask('PATCH', '/apps/storefront', { image })
    const { code, err } = await bash(command, ['-e'], known)
    expect([command, code, err]).to.deep.equal(['./svc tokens deploy --wait', 0, ''])
    expect(await runsNow()).to.equal(image)
  })

  it('says how a job ends: 5 for a deploy that fails, 3 for another service, 4 for a token that is none', async () => {
    // An image whose name says so is never pulled on the simulated cluster.
    const [failing, missing] = ['broken-image:1', 'no-such-service'] as const
    const [script = ''] = blocksOf('sh')
    const failed = await bash(script, ['-e'], { ...known, IMAGE: `registry.example.com/${failing}` })
    expect(failed.code).to.equal(5)
    expect(failed.err).to.match(/error: the deploy of storefront failed: .*image/)
    expect(failed.out).not.to.include('storefront runs')
    const elsewhere = await bash(script.replaceAll('storefront', missing), ['-e'], { ...known, IMAGE: 'nginx:1' })
    expect([elsewhere.code, elsewhere.err]).to.deep.equal([3, 'error: app not found\n'])
    const stranger = await github('c0ffee3', { SVC_TOKEN: 'svp_nobody_x' })
    expect([stranger.code, stranger.url.includes('outputs')]).to.deep.equal([4, true])
    for (const code of [0, 1, 3, 4, 5, 6]) expect(page).to.include(`\n| ${code} | `)
  })
})
