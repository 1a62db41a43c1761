/** The requests and the output of each command. */
import { expect } from 'chai'
import { attempt, statusOf } from '../client/status.ts'
import { openDesk, type Desk } from './run-svc.ts'

const ok = { json: { ok: true } }
const summary = (name: string, changes: object = {}) => ({
  kind: 'app',
  name,
  displayName: name,
  project: 'proj-1a2b3c4d',
  environment: 'production',
  state: 'ready',
  message: '',
  url: '',
  pendingChanges: 0,
  createdAt: '2026-11-21T13:00:00Z',
  details: { port: 8080, image: 'nginx:1.29' },
  ...changes,
})
const project = summary('proj-1a2b3c4d', {
  kind: 'project',
  displayName: 'shop',
  details: { environments: ['production', 'staging'] },
})
const pendingView = {
  json: { ok: true, pending: [], deployed: true, title: 'Deploying', detail: '1 change', button: 'Deploy' },
}

/** Arguments, the service's answers by route, and the one expected request. */
const asks: [string, string[], Record<string, object>, { method: string; path: string; body?: unknown }][] = [
  [
    'deploys',
    ['deploy', 'web'],
    { 'POST /apps/web/deploy': pendingView },
    { method: 'POST', path: '/apps/web/deploy', body: {} },
  ],
  [
    'scales',
    ['scale', 'web', '0'],
    { 'POST /apps/web/scale': ok },
    { method: 'POST', path: '/apps/web/scale', body: { replicas: 0 } },
  ],
  [
    'keeps a service awake and scales it in one write',
    ['scale', 'web', '2', '--always-on'],
    { 'PATCH /apps/web': ok },
    { method: 'PATCH', path: '/apps/web', body: { scaleToZero: 'off', replicas: 2 } },
  ],
  [
    'builds the head of the branch again',
    ['build', 'web'],
    { 'POST /apps/web/build': ok },
    { method: 'POST', path: '/apps/web/build', body: {} },
  ],
  [
    'cancels a build',
    ['build', 'web', '--cancel'],
    { 'POST /apps/web/build/cancel': ok },
    { method: 'POST', path: '/apps/web/build/cancel', body: {} },
  ],
  [
    'sets a variable with = in its value',
    ['env', 'set', 'web', 'URL=a=b'],
    { 'POST /apps/web/config/set': ok },
    { method: 'POST', path: '/apps/web/config/set', body: { key: 'URL', value: 'a=b' } },
  ],
  [
    'sets an empty variable',
    ['env', 'set', 'web', 'URL='],
    { 'POST /apps/web/config/set': ok },
    { method: 'POST', path: '/apps/web/config/set', body: { key: 'URL', value: '' } },
  ],
  [
    'reads logs with every filter',
    ['logs', 'web', '--tail', '5', '--since', '2h', '--level', 'error', '--search', 'a b'],
    { 'GET /apps/web/logs': { json: { lines: [], services: [], truncated: false, note: '' } } },
    { method: 'GET', path: '/apps/web/logs?tail=5&since=2h&level=error&q=a+b' },
  ],
  [
    'asks for anything',
    ['api', 'post', '/api/v1/nodes/a/placement?x=1', '-q', 'y=2', '-d', '{"region":"eu"}'],
    { 'POST /nodes/a/placement': ok },
    { method: 'POST', path: '/nodes/a/placement?x=1&y=2', body: { region: 'eu' } },
  ],
  [
    'creates a draft',
    ['apps', 'create', 'web', '--image', 'nginx', '-p', 'proj-1a2b3c4d', '-e', 'production', '--port', '80'],
    { 'POST /apps': { json: { ok: true, name: 'web', kind: 'apps' } } },
    {
      method: 'POST',
      path: '/apps',
      body: {
        project: 'proj-1a2b3c4d',
        environment: 'production',
        name: 'web',
        source: 'image',
        image: 'nginx',
        port: 80,
      },
    },
  ],
  [
    'creates a draft that is built, with names of variables that its builds get',
    [
      ...['apps', 'create', 'web', '--repository', 'acme/web', '-p', 'proj-1a2b3c4d', '-e', 'production'],
      ...['--build-variables', 'NPM_TOKEN', 'COLOUR', '--build-variables', 'SIZE'],
    ],
    { 'POST /apps': { json: { ok: true, name: 'web', kind: 'apps' } } },
    {
      method: 'POST',
      path: '/apps',
      body: {
        ...{ project: 'proj-1a2b3c4d', environment: 'production', name: 'web' },
        ...{ source: 'git', repository: 'acme/web', buildVariables: ['NPM_TOKEN', 'COLOUR', 'SIZE'] },
      },
    },
  ],
]

describe('commands', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
  })
  afterEach(async () => await desk.close())

  for (const [name, args, answers, wanted] of asks) {
    it(name, async () => {
      // All are JSON answers.
      for (const [route, answer] of Object.entries(answers)) desk.service.on(route, answer as { json: unknown })
      const { code, err } = await desk.signedIn(args)
      expect([code, err]).to.deep.equal([0, ''])
      expect(desk.service.asked).to.have.length(1)
      expect(desk.service.asked[0]).to.deep.include(wanted)
    })
  }

  it('rolls back to a deployment and shows where', async () => {
    desk.service.on('GET /apps/web/status', { json: statusOf() })
    desk.service.on('POST /apps/web/rollback', ok)
    const { code, out, err } = await desk.signedIn(['-e', 'production', 'rollback', 'web', 'web-abcde'])
    expect([code, desk.service.asked.at(-1)?.body]).to.deep.equal([0, { revision: 'web-abcde' }])
    const where = `project proj-1a2b3c4d, environment production, ${desk.service.url}`
    expect(err).to.equal(`Rolling web (${where}) back to web-abcde\n`)
    expect(out).to.include('Rollback of web to web-abcde accepted')
    const asJson = await desk.signedIn(['-e', 'production', 'rollback', 'web', 'web-abcde', '--json'])
    expect([JSON.parse(asJson.out), asJson.err]).to.deep.equal([ok.json, err])
    expect((await desk.signedIn(['-e', 'staging', 'rollback', 'web', 'web-abcde'])).code).to.equal(2)
    expect(desk.service.routes().filter((route) => route.startsWith('POST'))).to.have.length(2)
  })

  it('lists services of a project that is called by its readable name', async () => {
    desk.service.on('GET /projects', { json: { items: [project] } })
    desk.service.on('GET /apps', {
      json: {
        items: [
          summary('web', { url: 'https://web.example.com' }),
          summary('api', { state: 'failed', message: 'no\ncapacity' }),
        ],
      },
    })
    const { out } = await desk.signedIn(['-p', 'shop', 'apps', 'ls'])
    expect(desk.service.asked.at(-1)?.path).to.equal('/apps?project=proj-1a2b3c4d')
    expect(out.split('\n')).to.deep.equal([
      'NAME   PROJECT         ENVIRONMENT   STATE    PENDING   URL                       MESSAGE',
      'web    proj-1a2b3c4d   production    ready    0         https://web.example.com',
      'api    proj-1a2b3c4d   production    failed   0                                   no capacity',
      '',
    ])
    expect((await desk.signedIn(['-p', 'nope', 'apps', 'ls'])).code).to.equal(3)
  })
  it('prints the answer of the service as it is with --json', async () => {
    const views: [string[], string, object][] = [
      [['apps', 'list'], 'GET /apps', { items: [summary('web')] }],
      [['apps', 'get', 'web'], 'GET /apps/web', { resource: summary('web'), spec: {}, status: {} }],
      [['status', 'web'], 'GET /apps/web/status', statusOf()],
      [
        ['projects', 'get', 'proj-1a2b3c4d'],
        'GET /projects/proj-1a2b3c4d',
        { resource: project, spec: {}, status: {} },
      ],
      [
        ['env', 'list', 'web'],
        'GET /apps/web/variables',
        { secrets: ['S'], sharedVariableRefs: [], env: [], config: { A: '1' } },
      ],
      [['deploy', 'web'], 'POST /apps/web/deploy', pendingView.json],
    ]
    for (const [args, route, json] of views) {
      desk.service.on(route, { json })
      expect(JSON.parse((await desk.signedIn([...args, '--json'])).out), args.join(' ')).to.deep.equal(json)
    }
  })
  it('tells how a service is doing', async () => {
    desk.service.on('GET /apps/web/status', {
      json: statusOf({
        pendingChanges: 1,
        lastAttempt: attempt('web-x', 'Failed', { summary: 'superseded by web-y', errors: ['one'] }),
      }),
    })
    const { out } = await desk.signedIn(['status', 'web'])
    for (const part of ['2 of 2 ready', 'pending changes: 1\n', 'web-x Failed', 'superseded by web-y'])
      expect(out).to.include(part)
  })
  it('shows what a deploy ended with as of then, whatever the copies are since', async () => {
    const [startedAt, completedAt] = ['2026-11-21T13:05:09.1Z', '2026-11-21T13:05:12.1Z']
    const lastAttempt = attempt('web-x', 'Succeeded', { summary: '1 of 1 copies ready', startedAt, completedAt })
    desk.service.on('GET /apps/web/status', {
      json: statusOf({ replicas: { desired: 0, ready: 0, available: 0 }, lastAttempt }),
    })
    const lines = (await desk.signedIn(['status', 'web'])).out.trimEnd().split('\n')
    expect(lines.at(-1)).to.match(
      /^last deploy: +web-x Succeeded \(1 of 1 copies ready\), started 2026-11-21 13:05:09Z, ended 2026-11-21 13:05:12Z$/,
    )
  })
  it("keeps a service's words from moving the cursor", async () => {
    desk.service.on('GET /apps/web/status', { json: statusOf({ message: 'a\x1b[2Jb\rc\x07' }) })
    expect((await desk.signedIn(['status', 'web'])).out).to.include('abc\n')
  })
  it('names a project that it makes', async () => {
    desk.service.on('GET /projects', { json: { items: [] } })
    desk.service.on('POST /projects', { status: 201, json: { project: 'proj-1a2b3c4d' } })
    desk.service.on('PATCH /projects/proj-1a2b3c4d', ok)
    expect((await desk.signedIn(['projects', 'create', 'shop'])).out).to.equal('Created project proj-1a2b3c4d (shop)\n')
    expect(desk.service.asked.at(-1)?.body).to.deep.equal({ displayName: 'shop' })
  })
  it('takes the only environment of a project, and asks where there is a choice', async () => {
    desk.service.on('POST /apps', { json: { ok: true, name: 'web', kind: 'apps' } })
    const create = async () => await desk.signedIn(['apps', 'create', '--image', 'nginx', '-p', 'proj-1a2b3c4d'])
    desk.service.on('GET /projects/proj-1a2b3c4d', { json: { resource: project, spec: {}, status: {} } })
    expect(await create()).to.deep.include({
      code: 2,
      err: 'error: say which environment with -e: production, staging\n',
    })
    const small = { ...project, details: { environments: ['production'] } }
    desk.service.on('GET /projects/proj-1a2b3c4d', { json: { resource: small, spec: {}, status: {} } })
    expect((await create()).code).to.equal(0)
    expect(desk.service.asked.at(-1)?.body).to.include({ environment: 'production' })
  })
  it('says so when an older service saves a draft instead of deploying', async () => {
    desk.service.on('POST /apps', { json: { ok: true, name: 'web', kind: 'apps' } })
    const { code, err } = await desk.signedIn([
      'apps',
      'create',
      '--image',
      'nginx',
      '-p',
      'proj-1a2b3c4d',
      '-e',
      'production',
      '--deploy',
    ])
    expect([code, err]).to.deep.equal([1, 'error: web was saved as a draft; the service did not deploy it\n'])
  })
  it('takes variables away by their kind, and none when one is unknown', async () => {
    desk.service.on('GET /apps/web/variables', {
      json: { secrets: ['S'], sharedVariableRefs: [], env: [{ name: 'E', kind: 'secret' }], config: { C: '1' } },
    })
    for (const route of ['POST /apps/web/config/delete', 'POST /apps/web/secrets/delete', 'POST /apps/web/env/delete'])
      desk.service.on(route, ok)
    expect((await desk.signedIn(['env', 'unset', 'web', 'C', 'NOPE'])).code).to.equal(3)
    expect(desk.service.asked).to.have.length(1)
    expect((await desk.signedIn(['env', 'unset', 'web', 'C', 'S', 'E'])).code).to.equal(0)
    expect(desk.service.asked.slice(2).map(({ path, body }) => [path, body])).to.deep.equal([
      ['/apps/web/config/delete', { key: 'C' }],
      ['/apps/web/secrets/delete', { key: 'S' }],
      ['/apps/web/env/delete', { name: 'E' }],
    ])
  })
  it('takes a variable away that is plain and secret at once', async () => {
    desk.service.on('GET /apps/web/variables', {
      json: { secrets: ['BOTH'], sharedVariableRefs: [], env: [], config: { BOTH: '1' } },
    })
    for (const kind of ['config', 'secrets']) desk.service.on(`POST /apps/web/${kind}/delete`, ok)
    expect((await desk.signedIn(['env', 'unset', 'web', 'BOTH'])).code).to.equal(0)
    expect(desk.service.routes().slice(1)).to.deep.equal([
      'POST /apps/web/config/delete',
      'POST /apps/web/secrets/delete',
    ])
  })
})
