/** What the commands made from rows ask for, and how they print the answer. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openDesk, type Desk } from './run-svc.ts'

describe('commands of operations', () => {
  describe('ask', () => {
    let desk: Desk
    let folder: string
    const place = ['-p', 'proj-1a2b3c4d', '-e', 'production']
    beforeEach(async () => {
      desk = await openDesk()
      folder = await mkdtemp(join(tmpdir(), 'svc-rows-'))
    })
    afterEach(async () => {
      await desk.close()
      await rm(folder, { recursive: true })
    })

    const asks: [string, string[], string, unknown][] = [
      [
        'fields of every kind',
        'apps set web --replicas 3 --tls on --run-on-tags fast big --host a.example.com --target-cpu 70'.split(' '),
        'PATCH /apps/web',
        { replicas: 3, tls: true, runOnTags: ['fast', 'big'], host: 'a.example.com', targetCPU: 70 },
      ],
      [
        'the project',
        [...place, 'environments', 'create', 'staging'],
        'POST /projects/proj-1a2b3c4d/environments',
        { environment: 'staging' },
      ],
      [
        'the project and its environment',
        [...place, 'templates', 'deploy', 'shop'],
        'POST /templates/shop/deploy',
        { project: 'proj-1a2b3c4d', environment: 'production' },
      ],
      [
        'the name of what is deleted',
        [...place, '-y', 'environments', 'archive', 'staging'],
        'POST /projects/proj-1a2b3c4d/environments/archive',
        { environment: 'staging', confirmName: 'staging' },
      ],
      [
        'lists',
        [...place, 'webhooks', 'add', '--to', 'https://example.com/hook', '--events', 'deployment.failed'],
        'POST /projects/proj-1a2b3c4d/webhooks/save',
        { url: 'https://example.com/hook', event: ['deployment.failed'] },
      ],
    ]
    for (const [what, args, route, body] of asks) {
      it(what, async () => {
        desk.service.on(route, { json: { ok: true } })
        const { code, err } = await desk.signedIn(args)
        const where = `project proj-1a2b3c4d, ${desk.service.url}`
        const warning = args.includes('archive') ? `Deleting environment staging (${where}) for good\n` : ''
        expect([code, err]).to.deep.equal([0, warning])
        expect(desk.service.asked.map((it) => [`${it.method} ${it.path}`, it.body])).to.deep.equal([[route, body]])
      })
    }

    it('how a copy ended, in words', async () => {
      const copy = { name: 'web-1', deployment: 'web-aaaaa', node: 'n1', phase: 'Running', ready: true, message: '' }
      const lastEnd = { reason: 'OOMKilled', exitCode: 137, at: '2026-11-21T13:05:09.1Z' }
      const items = [
        { ...copy, restarts: 1, lastEnd },
        { ...copy, name: 'web\x1b[2J\x07-2', restarts: 0 },
      ]
      desk.service.on('GET /apps/web/copies', { json: { items } })
      const { out } = await desk.signedIn(['apps', 'copies', 'web'])
      expect(out).to.include('OOMKilled (exit code 137), 2026-11-21 13:05:09Z').and.not.include('{')
      expect(out, 'control characters are seen')
        .to.include(String.raw`web\u001b[2J\u0007-2`)
        .and.not.include('\x1b[2J')
    })

    it('which of the shared variables that a service chose there are none of', async () => {
      desk.service.on('GET /apps/web', { json: { resource: { project: 'proj-1a2b3c4d', environment: 'production' } } })
      const sharedVariables = [{ name: 'REGION' }, { name: 'ELSE', environment: 'staging' }]
      desk.service.on('GET /projects/proj-1a2b3c4d', { json: { spec: { sharedVariables } } })
      desk.service.on('POST /apps/web/shared-variables/save', { json: { ok: true, pending: [] } })
      const said = async (...names: string[]) => (await desk.signedIn(['apps', 'share-variables', 'web', ...names])).err
      expect(await said('REGION')).to.equal('')
      expect(await said('REGION', 'ELSE', 'NONE')).to.equal(
        'environment production has no shared variable ELSE, NONE yet\n',
      )
    })

    it('what became of saved changes in a sentence, not the fields of the answer', async () => {
      const answer = {
        ok: true,
        title: 'Changes to deploy',
        detail: 'Changed variables wait.',
        button: 'Deploy changes',
      }
      desk.service.on('POST /apps/web/shared-variables/save', { json: { ...answer, pending: ['variables'] } })
      desk.service.on('GET /apps/web', { json: { resource: { project: 'proj-1a2b3c4d', environment: 'production' } } })
      desk.service.on('GET /projects/proj-1a2b3c4d', { json: { spec: { sharedVariables: [{ name: 'REGION' }] } } })
      const shared = await desk.signedIn(['apps', 'share-variables', 'web', 'REGION'])
      expect(shared.out).to.equal('Saved. Changed variables wait. Deploy with `svc deploy web`\n')
      const none = { ...answer, pending: [], detail: 'Everything that is saved is deployed.' }
      desk.service.on('POST /apps/web/discard', { json: none })
      const discarded = await desk.signedIn(['apps', 'discard', 'web'])
      expect(discarded.out).to.equal('Discarded. Everything that is saved is deployed.\n')
    })

    describe('a shared variable', () => {
      const ask = async (text: string, input = '') => {
        desk.service.on('POST /projects/proj-1a2b3c4d/variables/save', { json: { ok: true } })
        const { code, err } = await desk.signedIn([...place, 'variables', 'set', ...text.split(' ')], { input })
        return { code, err, bodies: desk.service.asked.map(({ body }) => body) }
      }
      const environment = 'production'

      for (const [title, text, fields] of [
        ['by its name and a flag', 'REGION --value eu', { name: 'REGION', value: 'eu' }],
        ['as NAME=VALUE, as those of a service', 'REGION=eu', { name: 'REGION', value: 'eu' }],
        ['whose value has an equals sign', 'QUERY=a=b', { name: 'QUERY', value: 'a=b' }],
        ['that is empty', 'EMPTY=', { name: 'EMPTY', value: '' }],
        ['that is secret', 'KEY=k1 --secret on', { name: 'KEY', value: 'k1', secret: true }],
        ['that is secret, from standard input', 'KEY=- --secret on', { name: 'KEY', value: 'typed', secret: true }],
        ['that is a hyphen', 'DASH=-', { name: 'DASH', value: '-' }],
      ] as const)
        it(title, async () => {
          const { code, bodies } = await ask(text, 'typed\n')
          expect([code, bodies]).to.deep.equal([0, [{ environment, ...fields }]])
        })

      it('not with two values', async () => {
        const { code, err, bodies } = await ask('REGION=eu --value us')
        expect([code, bodies]).to.deep.equal([2, []])
        expect(err).to.contain('give the value behind = or by a flag, not both')
      })
    })

    it('secrets out of a file or standard input, never out of the arguments', async () => {
      const route = 'POST /settings/registry/save'
      desk.service.on(route, { json: { ok: true } })
      await writeFile(join(folder, 'password'), 'hunter2\n')
      const set = ['settings', 'registry', 'set', 'registry.example.com/team', '--username', 'me', '--password']
      expect((await desk.signedIn([...set, `@${folder}/password`])).code).to.equal(0)
      expect((await desk.signedIn([...set, '-'], { input: 'hunter2\n' })).code).to.equal(0)
      const wanted = { repository: 'registry.example.com/team', username: 'me', password: 'hunter2' }
      expect(desk.service.asked.map(({ body }) => body)).to.deep.equal([wanted, wanted])
      const refused = await desk.signedIn([...set, 'hunter2'])
      expect([refused.code, desk.service.asked.length]).to.deep.equal([2, 2])
      expect((await desk.signedIn([...set, `@${folder}/nowhere`])).code).to.equal(2)
    })

    it('nothing where the project is not said, or a switch is neither on nor off', async () => {
      expect((await desk.signedIn(['environments', 'create', 'staging'])).code).to.equal(2)
      expect((await desk.signedIn(['apps', 'set', 'web', '--tls', 'maybe'])).code).to.equal(2)
      expect(desk.service.asked).to.deep.equal([])
    })

    it('and print tables, pairs, or JSON', async () => {
      desk.service.on('GET /templates', {
        json: { items: [{ id: 'shop', name: 'Shop', category: 'web', description: 'x' }] },
      })
      expect((await desk.signedIn(['templates', 'ls'])).out).to.match(/^ID {3,}NAME[^]*shop {3}Shop/)
      desk.service.on('GET /settings/githost', { json: { appId: '7', clientId: '', slug: 'svc', configured: true } })
      expect((await desk.signedIn(['settings', 'githost', 'show'])).out)
        .to.contain('appId:')
        .and.to.contain('7')
      expect(JSON.parse((await desk.signedIn(['settings', 'githost', 'show', '--json'])).out)).to.deep.equal({
        appId: '7',
        clientId: '',
        slug: 'svc',
        configured: true,
      })
    })
  })
})
