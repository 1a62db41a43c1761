/** Which hosts the lookup of an image may reach: judged by address, at each connection, redirect and token service. */
import { expect } from 'chai'
import type { ServerResponse } from 'node:http'
import type { Login } from '../../../outside/registry/challenge.ts'
import { digest, type PlayedHost, type PlayedNetwork, playNetwork } from './played.ts'

const nobody = async () => undefined
const login = async (): Promise<Login> => ({ username: 'puller', password: 'pull-word' })
const basicLogin = `Basic ${Buffer.from('puller:pull-word').toString('base64')}`
const manifest = '/v2/web/manifests/1'
const silent = (host: string) => ({ unknown: `the registry ${host} does not answer, or is where svc may not ask` })
const wantsLogin = (host: string) => ({ unknown: `the registry ${host} wants a login` })

describe('Where questions to registries may lead', function () {
  this.timeout(60_000)
  let net: PlayedNetwork
  let open: PlayedHost
  let other: PlayedHost
  let inside: PlayedHost
  let neighbour: PlayedHost
  let metadata: PlayedHost
  let plain: PlayedHost

  beforeEach(async () => {
    net = await playNetwork()
    open = await net.listen('open', '127.0.1.1')
    other = await net.listen('other', '127.0.1.2')
    inside = await net.listen('inside', '127.0.2.1')
    neighbour = await net.listen('neighbour', '127.0.2.2')
    metadata = await net.listen('metadata', '127.0.3.1')
    plain = await net.listenPlain()
  })
  afterEach(() => net.stop())

  const to = (location: string) => (_: unknown, response: ServerResponse) =>
    void response.writeHead(307, { location }).end()
  const ask = (host: string, settings = {}, loginOf: () => Promise<Login | undefined> = nobody) =>
    net.registries(settings).meaningOf(`${host}/web:1`, loginOf)
  /** A registry that requires a token of `realm` and then has the image. */
  const wantTokenOf = (registry: PlayedHost, realm: string) =>
    registry.answer((request, response) => {
      if (request.headers.authorization !== undefined)
        response.writeHead(200, { 'docker-content-digest': digest }).end()
      else
        response
          .writeHead(401, { 'www-authenticate': `Bearer realm="${realm}",service="s",scope="repository:web:pull"` })
          .end()
    })
  const giveToken = (_: unknown, response: ServerResponse) =>
    void response.writeHead(200).end('{"token":"secret-token"}')

  describe('by the address of a registry', () => {
    type Row = readonly [
      what: string,
      host: () => string,
      settings: () => object,
      asked: (() => PlayedHost) | undefined,
    ]
    const rows: readonly Row[] = [
      ['a public one', () => open.host, () => ({}), () => open],
      ['a private one', () => inside.host, () => ({}), undefined],
      [
        'a private one in a network that is allowed',
        () => inside.host,
        () => ({ privately: '10.0.0.0/8, 127.0.2.0/24' }),
        () => inside,
      ],
      [
        'a private one at an address that is allowed',
        () => inside.host,
        () => ({ privately: '127.0.2.1' }),
        () => inside,
      ],
      [
        'a private one beside the network that is allowed',
        () => inside.host,
        () => ({ privately: '127.0.2.128/25' }),
        undefined,
      ],
      ['a private one that is allowed by name', () => inside.host, () => ({ privately: inside.host }), () => inside],
      [
        'a private one that is allowed by name at another port',
        () => inside.host,
        () => ({ privately: 'inside.play.test' }),
        undefined,
      ],
      [
        'a reserved one, whatever is allowed',
        () => metadata.host,
        () => ({ privately: `127.0.0.0/8,${metadata.host}` }),
        undefined,
      ],
      [
        'a reserved one that is the mirror',
        () => metadata.host,
        () => ({ mirror: `https://${metadata.host}` }),
        undefined,
      ],
      ['this machine', () => plain.host, () => ({}), undefined],
      ['this machine, by its name', () => plain.host.replace('127.0.0.1', 'localhost'), () => ({}), undefined],
      ['this machine in other figures', () => plain.host.replace('127.0.0.1', '127.1'), () => ({}), undefined],
      ['this machine where the mirror is', () => plain.host, () => ({ mirror: `http://${plain.host}` }), () => plain],
      [
        'this machine by its name, where the mirror is',
        () => plain.host.replace('127.0.0.1', 'localhost'),
        () => ({ mirror: `http://${plain.host}` }),
        () => plain,
      ],
      [
        'this machine at another port than the mirror',
        () => inside.host,
        () => ({ mirror: 'http://127.0.0.1:1' }),
        undefined,
      ],
      ['this machine where it is allowed', () => plain.host, () => ({ privately: '127.0.0.1' }), () => plain],
    ]
    for (const [what, host, settings, asked] of rows) {
      it(`${what} is ${asked === undefined ? 'not asked' : 'asked'}`, async () => {
        const meaning = await ask(host(), settings())
        const hosts = [open, other, inside, neighbour, metadata, plain]
        expect(hosts.filter((each) => each.asked.length > 0)).to.deep.equal(asked === undefined ? [] : [asked()])
        if (asked !== undefined) expect(meaning).to.deep.equal({ digest })
        else expect('unknown' in meaning && meaning.unknown).to.match(/^the registry \S+ (does|did) not answer/)
      })
    }

    it('one with a public and a private address is not asked', async () => {
      net.resolveTo('open', ['127.0.1.1', '127.0.2.1'])
      expect(await ask(open.host)).to.deep.equal(silent(open.host))
      expect([...open.asked, ...inside.asked]).to.deep.equal([])
    })

    it('one whose name leads elsewhere by the next connection is judged again', async () => {
      const at = Number(open.host.split(':')[1])
      net.resolveTo('open', ['127.0.1.1'], ['127.0.2.1'])
      open.answer((_, response) => void response.writeHead(200, { connection: 'close' }).end())
      expect(await ask(open.host)).to.deep.equal(silent(`open.play.test:${at}`))
      expect(open.asked).to.deep.equal([`HEAD ${manifest}`])
      expect(inside.asked).to.deep.equal([])
    })

    it('refusals do not show which names lead to private addresses', async () => {
      const [refused, unknown] = [await ask('inside.play.test'), await ask('nowhere.play.test')]
      expect(JSON.stringify(refused).replace('inside', 'X')).to.equal(JSON.stringify(unknown).replace('nowhere', 'X'))
    })
  })

  describe('by redirects', () => {
    it('follows three of them to public hosts, and sends them no login', async () => {
      open.answer((request, response) => {
        if (request.headers.authorization === undefined)
          response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()
        else to(`https://${other.host}/2`)(request, response)
      })
      other.answer((request, response) => {
        if (request.url === '/2') to('/3')(request, response)
        else if (request.url === '/3') to('/4')(request, response)
        else response.writeHead(200, { 'docker-content-digest': digest }).end()
      })
      expect(await ask(open.host, {}, login)).to.deep.equal({ digest })
      expect(open.asked).to.deep.equal([`HEAD ${manifest}`, `HEAD ${manifest} ${basicLogin}`])
      expect(other.asked).to.deep.equal(['HEAD /2', 'HEAD /3', 'HEAD /4'])
    })

    it('follows no fourth one', async () => {
      open.answer(to(`https://${open.host}/again`))
      expect(await ask(open.host)).to.deep.equal(silent(open.host))
      expect(open.asked).to.have.length(4)
    })

    for (const [what, location] of [
      ['a private address', () => `https://${inside.host}/`],
      ['metadata', () => `https://${metadata.host}/`],
      ['this machine', () => `http://${plain.host}/`],
      ['a public host without encryption', () => `http://${other.host}/`],
      ['a login of its own', () => `https://a:b@${other.host}/`],
      ['what is no address', () => 'https://'],
      ['another scheme', () => 'file:///etc/passwd'],
    ] as const) {
      it(`does not follow one to ${what}, with one and the same answer, whatever is allowed`, async () => {
        open.answer(to(location()))
        for (const privately of ['', '127.0.0.0/8', `${inside.host},${plain.host}`]) {
          expect(await ask(open.host, { privately, mirror: `http://127.0.0.1:1` })).to.deep.equal(silent(open.host))
        }
        expect([...other.asked, ...inside.asked, ...metadata.asked, ...plain.asked]).to.deep.equal([])
      })
    }

    it('takes no challenge for a login from where it was led', async () => {
      open.answer(to(`https://${other.host}/`))
      wantTokenOf(other, `https://${other.host}/token`)
      expect(await ask(open.host, {}, login)).to.deep.equal({ unknown: `the registry ${open.host} refuses the login` })
      expect(other.asked).to.deep.equal(['HEAD /'])
    })
  })

  describe('by a token service', () => {
    const token = '/token?service=s&scope=repository%3Aweb%3Apull'

    it('sends the token to the registry alone', async () => {
      wantTokenOf(open, `https://${other.host}/token`)
      other.answer(giveToken)
      expect(await ask(open.host, {}, login)).to.deep.equal({ digest })
      expect(other.asked).to.deep.equal([`GET ${token} ${basicLogin}`])
      expect(open.asked).to.deep.equal([`HEAD ${manifest}`, `HEAD ${manifest} Bearer secret-token`])
    })

    for (const [what, realm, hosts] of [
      ['at a private address', () => `https://${inside.host}/token`, () => [inside]],
      ['of metadata', () => `https://${metadata.host}/token`, () => [metadata]],
      ['on this machine', () => `http://${plain.host}/token`, () => [plain]],
      ['without encryption', () => `http://${other.host}/token`, () => [other]],
      ['with a login in its address', () => `https://a:b@${other.host}/token`, () => [other]],
    ] as const) {
      it(`asks none ${what} that a public registry names, whatever is allowed`, async () => {
        for (const host of hosts()) host.answer(giveToken)
        wantTokenOf(open, realm())
        for (const privately of ['', '127.0.0.0/8', `${inside.host},${plain.host}`]) {
          expect(await ask(open.host, { privately, mirror: 'http://127.0.0.1:1' }, login)).to.deep.equal(
            wantsLogin(open.host),
          )
        }
        expect(hosts().flatMap(({ asked }) => asked)).to.deep.equal([])
        expect(open.asked.filter((line) => line !== `HEAD ${manifest}`)).to.deep.equal([])
      })
    }

    it('does not follow one into the own network', async () => {
      wantTokenOf(open, `https://${other.host}/token`)
      other.answer(to(`https://${inside.host}/token`))
      inside.answer(giveToken)
      expect(await ask(open.host, { privately: '127.0.2.0/24' }, login)).to.deep.equal(wantsLogin(open.host))
      expect(inside.asked).to.deep.equal([])
    })

    it('a private registry may name its own host, and another private one only where that is allowed by name', async () => {
      wantTokenOf(inside, `https://${inside.host}/token`)
      const own = await ask(inside.host, { privately: '127.0.2.0/24' })
      expect(own).to.deep.equal(wantsLogin(inside.host)) // the host is called, but its answer is not a token
      expect(inside.asked.filter((line) => line.includes('/token'))).to.have.length(1)
      wantTokenOf(inside, `https://${neighbour.host}/token`)
      neighbour.answer(giveToken)
      expect(await ask(inside.host, { privately: '127.0.2.0/24' })).to.deep.equal(wantsLogin(inside.host))
      expect(neighbour.asked).to.deep.equal([])
      expect(await ask(inside.host, { privately: `127.0.2.0/24,${neighbour.host}` })).to.deep.equal({ digest })
    })

    for (const [what, reply] of [
      ['more than a token', (_, response) => void response.writeHead(200).end(`{"token":"${'x'.repeat(100_000)}"}`)],
      ['a header of its own', (_, response) => void response.writeHead(200).end('{"token":"a\\r\\nx-evil: 1"}')],
      ['no JSON', (_, response) => void response.writeHead(200).end('<h1>welcome</h1>')],
      ['a number', (_, response) => void response.writeHead(200).end('{"token":7}')],
      ['a refusal', (_, response) => void response.writeHead(403).end()],
    ] as const satisfies readonly (readonly [string, (_: unknown, response: ServerResponse) => void])[]) {
      it(`makes nothing of ${what}`, async () => {
        wantTokenOf(open, `https://${other.host}/token`)
        other.answer(reply)
        expect(await ask(open.host, {}, login)).to.deep.equal(wantsLogin(open.host))
        expect(open.asked).to.deep.equal([`HEAD ${manifest}`])
      })
    }
  })
})
