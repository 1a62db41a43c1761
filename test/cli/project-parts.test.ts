/** The lists of what a project has: environments, shared variables and webhooks. */
import { expect } from 'chai'
import { recordOf } from '../client/records.ts'
import { openDesk, type Desk } from './run-svc.ts'

const project = 'proj-1a2b3c4d'
const spec = {
  environments: ['production', 'new', 'pr-3'],
  pullRequests: [
    { repository: 'acme/web', number: 2 },
    { repository: 'acme/web', number: 3, environment: 'pr-3' },
  ],
  sharedVariables: [
    { name: 'REGION', environment: '', value: 'eu' },
    { name: 'API_KEY', environment: '', secretRef: { name: `${project}-shared`, key: '_every.API_KEY' } },
    { name: 'DEBUG', environment: 'staging', value: '' },
  ],
  webhooks: [
    { id: '0295ea6ea47b', url: 'https://a.example.com', events: [], disabled: false, since: '2026-11-21T13:05:09.1Z' },
    { id: '1395ea6ea47b', url: 'https://b.example.com', events: ['backup.failed'], disabled: true },
  ],
}
const status = {
  environments: ['production', 'pr-3', 'old'].map((name) => ({
    name,
    namespace: `${project}-${name}`,
    phase: name === 'old' ? 'Deleting' : 'Ready',
  })),
}

describe('the lists of a project', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
    const { resource } = recordOf({ kind: 'project', name: project })
    desk.service.on(`GET /projects/${project}`, { json: { resource, spec, status } })
  })
  afterEach(async () => await desk.close())
  const list = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await desk.signedIn(['-p', project, ...args])
    expect([code, err], args.join(' ')).to.deep.equal([0, ''])
    return out
  }
  const rows = async (...args: string[]): Promise<string[][]> =>
    (await list(...args))
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/).map((cell) => cell.trim()))

  it('show each environment, also one that is still being made or deleted, and its pull request', async () => {
    expect(await rows('environments', 'list')).to.deep.equal([
      ['NAME', 'PHASE', 'NAMESPACE', 'PULL REQUEST'],
      ['production', 'Ready', `${project}-production`],
      ['new', 'Pending'],
      ['pr-3', 'Ready', `${project}-pr-3`, 'acme/web#3'],
      ['old', 'Deleting', `${project}-old`],
    ])
  })
  it('show the shared variables, of an environment those that it gets, and no secret value', async () => {
    const [region, key] = [
      ['REGION', 'every', 'plain', 'eu'],
      ['API_KEY', 'every', 'secret'],
    ]
    expect((await rows('variables', 'ls')).slice(1)).to.deep.equal([region, key, ['DEBUG', 'staging', 'plain']])
    expect((await rows('variables', 'list', '-e', 'production')).slice(1)).to.deep.equal([region, key])
    expect(await list('variable', 'list', '-e', 'staging', '-q')).to.equal('REGION\nAPI_KEY\nDEBUG\n')
  })
  it('show the webhooks with the ID that the other commands take', async () => {
    expect((await rows('webhooks', 'list')).slice(1)).to.deep.equal([
      ['0295ea6ea47b', 'https://a.example.com', 'all of deploys', '2026-11-21 13:05:09Z'],
      ['1395ea6ea47b', 'https://b.example.com', 'backup.failed', 'yes'],
    ])
    expect(await list('webhooks', 'list', '-q')).to.equal('0295ea6ea47b\n1395ea6ea47b\n')
  })
  it('are the items as the service has them with --json', async () => {
    expect(JSON.parse(await list('variables', 'list', '--json'))).to.deep.equal({ items: spec.sharedVariables })
    expect(JSON.parse(await list('webhooks', 'list', '--json'))).to.deep.equal({ items: spec.webhooks })
  })
  it('say how to add the first, and ask for the project', async () => {
    const { resource } = recordOf({ kind: 'project', name: project })
    desk.service.on(`GET /projects/${project}`, { json: { resource, spec: {}, status: {} } })
    const { err } = await desk.signedIn(['-p', project, 'webhooks', 'list'])
    expect(err).to.equal('no webhooks that this login may see; `svc webhooks add --to ADDRESS` adds one\n')
    const { code, err: which } = await desk.signedIn(['webhooks', 'list'])
    expect([code, which]).to.deep.equal([2, 'error: say which project with -p\n'])
  })
  it('`variables unset` says on standard error that there was none of the name, and where there is one', async () => {
    desk.service.on(`POST /projects/${project}/variables/delete`, { json: { ok: true } })
    const unset = async (...args: string[]) => await desk.signedIn(['-p', project, 'variables', 'unset', ...args])
    expect(await unset('REGION')).to.deep.include({ code: 0, out: 'Deleted\n', err: '' })
    const none = 'there was no shared variable'
    expect((await unset('NONE')).err).to.equal(`${none} NONE for every environment\n`)
    expect((await unset('NONE', '-e', 'staging')).err).to.equal(`${none} NONE for staging\n`)
    const elsewhere = await unset('DEBUG')
    expect(elsewhere.err).to.equal(`${none} DEBUG for every environment; there is one for staging\n`)
    expect([elsewhere.code, elsewhere.out]).to.deep.equal([0, 'Deleted\n'])
  })
  it('`webhooks test` ends with 1 where the event is not taken, after the answer', async () => {
    const delivery = { id: 'msg_test_1', event: 'webhook.test', at: '2026-11-21T13:05:09.1Z' }
    const test = async (ok: boolean, more: object, ...flags: string[]) => {
      const json = { ok, delivery: { ...delivery, ...more } }
      desk.service.on(`POST /projects/${project}/webhooks/test`, { json })
      return await desk.signedIn(['-p', project, ...flags, 'webhooks', 'test', '0295ea6ea47b'])
    }
    expect(await test(true, { status: 204 })).to.deep.include({ code: 0, err: '' })
    const failed = await test(false, { status: 500, error: 'answered 500' })
    expect([failed.code, failed.err]).to.deep.equal([1, 'error: the test event was not delivered\n'])
    expect(failed.out).to.match(/^delivery status: +500\ndelivery error: +answered 500\n/m)
    expect(JSON.parse((await test(false, {}, '--json')).out)).to.deep.equal({ ok: false, delivery })
  })
})
