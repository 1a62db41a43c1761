/** Commands on nodes, metrics and compliance: their requests and their output. */
import { expect } from 'chai'
import { openDesk, type Desk } from './run-svc.ts'

const node = (name: string, changes: object = {}) => ({
  name,
  ready: true,
  schedulable: true,
  controlPlane: false,
  region: '',
  zone: '',
  tags: [],
  cpu: '8',
  memory: '32Gi',
  ...changes,
})
const tag = (name: string, reserved = false, compliance = false) => ({ name, reserved, compliance })
const points = (...values: number[]) => values.map((v, index) => ({ t: 1_700_000_000 + index * 60, v }))
const series = (of: object, changes: object = {}) => ({
  json: { window: '1h', step: 60, available: true, series: of, ...changes },
})

describe('commands of the cluster', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
  })
  afterEach(async () => await desk.close())

  describe('nodes', () => {
    const tagged = node('n1', {
      region: 'eu',
      zone: 'eu-1',
      tags: [tag('fast'), tag('gdpr', true, true), tag('gpu', true)],
    })

    it('lists nodes with what they are and carry', async () => {
      desk.service.on('GET /nodes', {
        json: { items: [tagged, node('n2', { ready: false, schedulable: false, controlPlane: true })] },
      })
      expect((await desk.signedIn(['nodes', 'ls'])).out.split('\n')).to.deep.equal([
        'NODE   STATUS                               REGION   ZONE   CPU   MEMORY   TAGS',
        'n1     ready                                eu       eu-1   8     32Gi     fast, gdpr (compliance), gpu (reserved)',
        'n2     not ready, cordoned, control plane                   8     32Gi',
        '',
      ])
    })

    const changes: [string, string[], object][] = [
      [
        'adds a tag to those that are there',
        ['big'],
        { region: 'eu', zone: 'eu-1', tags: ['fast', 'big'], reserved: ['gpu'], compliance: ['gdpr'] },
      ],
      [
        'takes tags away',
        ['fast-', 'gpu-'],
        { region: 'eu', zone: 'eu-1', tags: '', reserved: '', compliance: ['gdpr'] },
      ],
      [
        'makes a plain tag of a reserved one',
        ['gpu'],
        { region: 'eu', zone: 'eu-1', tags: ['fast', 'gpu'], reserved: '', compliance: ['gdpr'] },
      ],
      [
        'reserves tags',
        ['--reserved', 'fast', 'ssd'],
        { region: 'eu', zone: 'eu-1', tags: '', reserved: ['gpu', 'fast', 'ssd'], compliance: ['gdpr'] },
      ],
      [
        'begins anew',
        ['--clear', '--compliance', 'pci', '--region', 'us', '--zone', ''],
        { region: 'us', zone: '', tags: '', reserved: '', compliance: ['pci'] },
      ],
    ]
    for (const [what, args, body] of changes) {
      it(`${what}, and keeps the rest`, async () => {
        desk.service.on('GET /nodes', { json: { items: [tagged] } })
        desk.service.on('POST /nodes/n1/placement', { json: { ok: true, warnings: [] } })
        expect(await desk.signedIn(['nodes', 'tag', 'n1', ...args])).to.include({
          code: 0,
          out: 'n1 is tagged\n',
          err: '',
        })
        expect(desk.service.asked.at(-1)?.body).to.deep.equal(body)
      })
    }

    it('tells the warnings apart from the answer', async () => {
      desk.service.on('GET /nodes', { json: { items: [tagged] } })
      desk.service.on('POST /nodes/n1/placement', { json: { ok: true, warnings: ['project shop requires tags'] } })
      const { out, err } = await desk.signedIn(['nodes', 'tag', 'n1', '--clear'])
      expect([out, err]).to.deep.equal(['n1 is tagged\n', 'warning: project shop requires tags\n'])
    })

    it('asks what to change, and knows which nodes there are', async () => {
      desk.service.on('GET /nodes', { json: { items: [tagged] } })
      expect((await desk.signedIn(['nodes', 'tag', 'n1'])).code).to.equal(2)
      expect(await desk.signedIn(['nodes', 'tag', 'n9', 'fast'])).to.include({
        code: 3,
        err: 'error: there is no node n9\n',
      })
      expect(desk.service.routes()).to.deep.equal(['GET /nodes'])
    })
  })

  describe('metrics', () => {
    it('shows what a service uses in readable units', async () => {
      desk.service.on(
        'GET /apps/web/metrics',
        series({
          cpu: points(0.5, 0.25),
          memory: points(96 * 1024 ** 2),
          network: points(0, 1536),
          requests: points(5),
          networkIn: [],
        }),
      )
      const { out } = await desk.signedIn(['metrics', 'web', '--window', '6h'])
      expect(desk.service.asked[0]?.path).to.equal('/apps/web/metrics?window=6h')
      expect(out.split('\n')).to.deep.equal([
        'SERIES        NOW           LOWEST        HIGHEST',
        'cpu           0.250 cores   0.250 cores   0.500 cores',
        'memory        96.0 MiB      96.0 MiB      96.0 MiB',
        'network out   1.5 KiB/s     0 B/s         1.5 KiB/s',
        'requests      5.00/s        5.00/s        5.00/s',
        '',
      ])
    })

    it('reads databases and projects', async () => {
      desk.service.on('GET /databases/orders/metrics', series({ storage: points(3 * 1024 ** 3) }))
      expect((await desk.signedIn(['metrics', 'orders', '--kind', 'databases'])).out).to.include('storage   3.0 GiB')
      desk.service.on('GET /projects/proj-1a2b3c4d/metrics', series({ cpu: points(1) }))
      expect((await desk.signedIn(['metrics', 'proj-1a2b3c4d', '--kind', 'projects', '-e', 'staging'])).code).to.equal(
        0,
      )
      expect(desk.service.asked.map(({ path }) => path)).to.deep.equal([
        '/databases/orders/metrics?window=1h',
        '/projects/proj-1a2b3c4d/metrics?window=1h&environment=staging',
      ])
    })

    it('ends with 1 while there are none, and says why', async () => {
      desk.service.on(
        'GET /apps/web/metrics',
        series({ cpu: [] }),
        series({ cpu: [] }, { available: false, message: 'no metrics store is configured' }),
      )
      expect(await desk.signedIn(['metrics', 'web'])).to.include({ code: 1, err: 'error: no metrics of web yet\n' })
      expect(await desk.signedIn(['metrics', 'web'])).to.include({
        code: 1,
        err: 'error: no metrics yet: no metrics store is configured\n',
      })
    })

    it('ends with 2 for another window or kind', async () => {
      expect((await desk.signedIn(['metrics', 'web', '--window', '2h'])).code).to.equal(2)
      expect((await desk.signedIn(['metrics', 'web', '--kind', 'nodes'])).code).to.equal(2)
    })
  })

  describe('compliance', () => {
    const route = 'GET /projects/proj-1a2b3c4d/compliance'

    it('shows what a project requires and what is without it', async () => {
      const databases = [
        { name: 'orders', compliant: true, missing: [] },
        { name: 'sales', compliant: false, missing: ['gdpr'] },
      ]
      desk.service.on(route, { json: { requiredTags: ['gdpr'], region: 'eu', databases, openNodes: ['n2'] } })
      const { out } = await desk.signedIn(['-p', 'proj-1a2b3c4d', 'compliance', 'show'])
      for (const part of [
        /required tags:\s+gdpr\n/,
        /database orders:\s+compliant\n/,
        /database sales:\s+lacks gdpr\n/,
        /open nodes:\s+n2\n/,
      ])
        expect(out).to.match(part)
    })

    it('sets and clears the tags', async () => {
      desk.service.on(
        'POST /projects/proj-1a2b3c4d/compliance',
        { json: { ok: true, requiredTags: ['gdpr', 'pci'] } },
        { json: { ok: true, requiredTags: [] } },
      )
      const set = await desk.signedIn(['compliance', 'set', 'gdpr', 'pci', '-p', 'proj-1a2b3c4d'])
      const clear = await desk.signedIn(['compliance', 'clear', '-p', 'proj-1a2b3c4d'])
      expect([set.out, clear.out]).to.deep.equal([
        'proj-1a2b3c4d requires gdpr, pci\n',
        'proj-1a2b3c4d may run on any node\n',
      ])
      expect(desk.service.asked.map(({ body }) => body)).to.deep.equal([
        { requiredTags: ['gdpr', 'pci'] },
        { requiredTags: '' },
      ])
    })

    it('asks for the project', async () => {
      expect(await desk.signedIn(['compliance', 'show'])).to.include({
        code: 2,
        err: 'error: say which project with -p\n',
      })
    })
  })
})
