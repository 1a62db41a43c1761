/** `--wait` of changes that deploy, of removals, and of keys that are checked. */
import { expect } from 'chai'
import { recordOf, waiting } from '../client/records.ts'
import { attempt, pending, statusOf } from '../client/status.ts'
import { openDesk, type Desk, type RunOptions } from './run-svc.ts'

const ok = { json: { ok: true } }
const accepted = { ok: true, pending: [], title: '', detail: '', button: '' }
const deployed = { json: { ...accepted, deployed: true } }
const gone = { status: 404, json: { error: 'backup not found', code: 'not_found' } }
const place = ['-p', 'proj-1a2b3c4d', '-y']
const nightly = { name: 'nightly', schedule: '@daily' }

/** Arguments, what is saved by which request, and what is said of it. */
const changes: [string[], string, string, RunOptions][] = [
  [['env', 'import', 'web', '--file', '-'], 'POST /apps/web/config/raw', 'Imported', { input: 'A=1\n' }],
  [['apps', 'attach', 'web', 'db', '--kind', 'database'], 'POST /apps/web/attach', 'Attached db', {}],
  [['functions', 'triggers', 'add', 'web', 'hourly', '--schedule', '@hourly'], 'PATCH /apps/web', 'Saved', {}],
  [['functions', 'triggers', 'remove', 'web', 'nightly'], 'PATCH /apps/web', 'Saved', {}],
]

describe('--wait', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
  })
  afterEach(async () => await desk.close())
  const writes = () => desk.service.routes().filter((route) => !route.startsWith('GET'))
  const lastLine = (out: string) => out.split('\n').at(-2)

  describe('of a change of a service', () => {
    beforeEach(() => {
      desk.service.on('GET /apps/web', {
        json: { resource: {}, spec: { source: { function: { triggers: [nightly] } } }, status: {} },
      })
      desk.service.on('POST /apps/web/deploy', deployed)
    })
    const statuses = (...list: object[]) => desk.service.on('GET /apps/web/status', ...list.map((json) => ({ json })))
    const before = statusOf({ lastAttempt: attempt('web-old', 'Succeeded') })
    const after = statusOf({ lastAttempt: attempt('web-new', 'Succeeded') })

    for (const [args, route, said, options] of changes) {
      const command = args
        .filter((word) => /^[a-z]+$/.test(word))
        .slice(0, 3)
        .join(' ')
      it(`${command} deploys it after it is saved, and ends with the deploy`, async () => {
        desk.service.on(route, { json: { ...accepted, config: {} } })
        statuses(before, pending('web-new'), after)
        const { code, out, err } = await desk.signedIn([...args, '--wait'], options)
        expect([code, err]).to.deep.equal([0, ''])
        expect(writes()).to.deep.equal([route, 'POST /apps/web/deploy'])
        expect(out.split('\n')[0]).to.equal(`${said}; deploying web`)
        expect(lastLine(out)).to.match(/^✓ web is ready after 3s/)

        statuses(before, pending('web-new'), statusOf({ state: 'failed', message: 'no image' }))
        expect((await desk.signedIn([...args, '--wait'], options)).code).to.equal(5)
        statuses(before, pending('web-new'))
        expect((await desk.signedIn([...args, '--wait', '--timeout', '5s'], options)).code).to.equal(6)
      })
      it(`${command} --deploy only deploys it, and without either flag it is saved alone`, async () => {
        desk.service.on(route, { json: { ...accepted, config: {} } })
        const flagged = await desk.signedIn([...args, '--deploy'], options)
        expect([flagged.code, flagged.out]).to.deep.equal([0, `${said}; the deploy of web was accepted\n`])
        expect(writes()).to.deep.equal([route, 'POST /apps/web/deploy'])
        const alone = await desk.signedIn(args, options)
        expect([alone.code, writes()]).to.deep.equal([0, [route, 'POST /apps/web/deploy', route]])
      })
      it(`${command} refuses a wrong --timeout before it saves anything`, async () => {
        expect((await desk.signedIn([...args, '--wait', '--timeout', 'soon'], options)).code).to.equal(2)
        expect(writes()).to.deep.equal([])
      })
    }

    it('apps set saves and deploys in one request, so that a refusal saves nothing', async () => {
      const set = ['apps', 'set', 'web', '--image', 'nginx:2']
      desk.service.on('PATCH /apps/web', deployed)
      statuses(before, pending('web-new'), after)
      const { code, out } = await desk.signedIn([...set, '--wait'])
      expect([code, lastLine(out)]).to.deep.equal([0, '✓ web is ready after 3s: https://web.example.com'])
      expect((await desk.signedIn([...set, '--deploy'])).code).to.equal(0)
      const sent = desk.service.asked.filter(({ method }) => method !== 'GET')
      const request = { image: 'nginx:2', deploy: true }
      expect(sent.map(({ body }) => body)).to.deep.equal([request, request])
    })
    it('apps set says so when an older service only saved the change', async () => {
      desk.service.on('PATCH /apps/web', { json: accepted })
      statuses(before)
      for (const flag of ['--wait', '--deploy']) {
        const { code, out, err } = await desk.signedIn(['apps', 'set', 'web', '--image', 'nginx:2', flag])
        expect([code, out, err]).to.deep.equal([1, '', 'error: it was saved; the service did not deploy it\n'])
      }
    })
  })

  const removals: [string, string[], string, string][] = [
    ['environments archive', ['staging'], 'POST /projects/proj-1a2b3c4d/environments/archive', 'staging'],
    [
      'environments close-pull-request',
      ['acme/web', '--number', '7'],
      'POST /projects/proj-1a2b3c4d/pr-environments/close',
      'acme/web#7',
    ],
  ]
  for (const [command, args, route, name] of removals)
    it(`of ${command} ends when everything in it is deleted`, async () => {
      const project = (more: object, intent: string) =>
        recordOf({ kind: 'project', name: 'proj-1a2b3c4d', ...more }, intent)
      const reads = (...list: object[]) =>
        desk.service.on('GET /projects/proj-1a2b3c4d', ...list.map((json) => ({ json })))
      const run = async (...more: string[]) =>
        await desk.signedIn([...place, ...command.split(' '), ...args, '--wait', ...more])
      desk.service.on(route, { json: { ok: true, deleted: 2 } })
      // The ready of a replica whose cache is behind is not the end.
      reads(project({}, 'old'), project({}, 'old'), waiting('deleting 2 services', 'old'), project({}, 'new'))
      const { code, out } = await run()
      expect([code, out]).to.deep.equal([
        0,
        `    0s  project ready\n    3s  project pending  deleting 2 services\n    6s  project ready\n✓ ${name} is gone after 6s\n`,
      ])
      reads(project({}, 'old'), project({ state: 'failed', message: 'no rights' }, 'new'))
      const refused = await run()
      expect([refused.code, refused.err.split('\n').at(-2)]).to.deep.equal([
        5,
        `error: the removal of ${name} failed: no rights`,
      ])
      reads(project({}, 'old'), waiting('deleting 2 services', 'old'))
      const late = await run('--timeout', '5s')
      expect([late.code, late.err.split('\n').at(-2)]).to.deep.equal([
        6,
        `error: ${name} is not gone after 5s (deleting 2 services); the removal goes on, look with \`svc projects get proj-1a2b3c4d\``,
      ])
    })

  it('of databases delete-archive ends when the backup is gone', async () => {
    const backup = { name: 'db-1', database: 'db', state: 'deleting', message: 'removing its files' }
    desk.service.on('DELETE /backup-archives/db-1', ok)
    desk.service.on('GET /backup-archives/db-1', { json: backup }, { json: backup }, gone)
    const run = async (...more: string[]) =>
      await desk.signedIn(['-y', 'databases', 'delete-archive', 'db-1', '--wait', ...more])
    const { code, out } = await run()
    expect([code, out]).to.deep.equal([0, '    0s  removing its files\n    6s  gone\n✓ db-1 is gone after 6s\n'])
    expect(JSON.parse((await run('--json')).out)).to.deep.equal({ ok: true })
    desk.service.on('GET /backup-archives/db-1', { json: backup })
    const late = await run('--timeout', '5s')
    expect([late.code, late.err.split('\n').at(-2)]).to.deep.equal([
      6,
      'error: db-1 is not gone after 5s (removing its files); the deletion goes on, look with `svc databases archives`',
    ])
  })

  describe('of keys', () => {
    const provider = ['--provider', 'PlanetScale', '--organization', 'acme', '--service-token', '-']
    const keys = [...place, 'clouds', 'create', 'acme', ...provider]
    const token = ['settings', 'dns', 'set', '--account-id', 'a', '--api-token', '-']
    const unchecked = { ready: false, reason: 'NotChecked', message: 'nothing has checked it yet' }
    const refused = { ready: false, reason: 'CredentialsInvalid', message: 'the keys are refused' }
    const taken = { ready: true, reason: 'Connected', message: '' }
    const rows: [string, string[], string, string, string, (checked: object) => object][] = [
      [
        'a cloud',
        keys,
        'POST /cloud-connections/create',
        'GET /cloud-connections',
        'acme',
        (checked) => ({ items: [{ name: 'acme', ...checked }] }),
      ],
      [
        'the DNS provider',
        token,
        'POST /settings/dns-provider/save',
        'GET /settings/dns-provider',
        'the DNS provider',
        (checked) => checked,
      ],
    ]
    for (const [what, args, save, read, name, answerOf] of rows)
      it(`of ${what} ends when they are taken, and with 5 when they are refused`, async () => {
        const reads = (...list: object[]) => desk.service.on(read, ...list.map((it) => ({ json: answerOf(it) })))
        const run = async () => await desk.signedIn([...args, '--wait'], { input: 'secret\n' })
        desk.service.on(save, ok)
        // The refusal of the keys before is not that of these.
        reads(refused, refused, unchecked, taken)
        const { code, out, err } = await run()
        expect([code, err, lastLine(out)]).to.deep.equal([0, '', `✓ ${name} is ready after 6s`])
        reads(unchecked, refused)
        const bad = await run()
        expect([bad.code, bad.err]).to.deep.equal([5, `error: the check of ${name} failed: the keys are refused\n`])
        // The same verdict for longer than a replica may be behind is that of these keys.
        reads(refused)
        const same = await run()
        expect([same.code, same.waitedMs]).to.deep.equal([5, 12_000])
      })
  })
})
