/** The functions of the catalogue, as their files have them, each in the runner of its runtime. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { readCatalogue } from '../../api/templates/catalogue.ts'
import { startRunner, type StartedRunner } from '../harness/runner.ts'

/** Bun runs what node runs: the templates keep to the web's own interfaces. */
const programs = { bun: process.execPath, node: process.execPath, python: 'python3' } as const

async function start(id: string, variables: Readonly<Record<string, string>> = {}): Promise<StartedRunner> {
  const service = readCatalogue()
    .get(id)
    ?.resources.find((each) => each.kind === 'app')
  if (service?.function === undefined) throw new Error(`${id} has no function`)
  const { runtime, mode, code } = service.function
  return startRunner(runtime, programs[runtime], code, mode, variables)
}

describe('the functions of the templates', function () {
  this.timeout(60_000)

  it('function-hello greets the given name', async () => {
    const { url, stop } = await start('function-hello')
    expect(await (await fetch(`${url}/?name=Ada`)).json()).to.include({ hello: 'Ada' })
    expect(await (await fetch(url)).json()).to.include({ hello: 'world' })
    await stop('SIGKILL')
  })

  it('function-webhook takes what is signed, and nothing else', async () => {
    const secret = `whsec_${randomBytes(24).toString('base64')}`
    const { url, said, stop } = await start('function-webhook', { SIGNING_SECRET: secret })
    const body = '{"type":"deploy.succeeded"}'
    const at = new Date()
    const signed = (signature: string, time = at) =>
      fetch(url, {
        method: 'POST',
        body,
        headers: {
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
          'webhook-signature': signature,
        },
      })
    const good = new Webhook(secret).sign('msg_1', at, body)
    expect((await signed(good)).status).to.equal(204)
    expect((await signed(`v1,AAAA ${good}`)).status, 'one of several signatures').to.equal(204)
    expect(said()).to.include('"id":"msg_1","event":{"type":"deploy.succeeded"}')
    const old = new Date(at.getTime() - 3600_000)
    expect((await signed(new Webhook(secret).sign('msg_1', old, body), old)).status, 'an hour old').to.equal(401)
    const other = new Webhook(`whsec_${randomBytes(24).toString('base64')}`)
    expect((await signed(other.sign('msg_1', at, body))).status, 'with another key').to.equal(401)
    expect((await signed('')).status).to.equal(401)
    expect((await fetch(url)).status).to.equal(405)
    await stop('SIGKILL')
  })

  it('function-webhook takes nothing while it has no secret', async () => {
    const { url, stop } = await start('function-webhook')
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).to.equal(401)
    await stop('SIGKILL')
  })

  it('function-csv turns rows into JSON', async () => {
    const { url, stop } = await start('function-csv')
    const post = (body: string) => fetch(url, { method: 'POST', body })
    expect(await (await post('name,town\nAda,London\n"Grace, H.",New York\n')).json()).to.deep.equal({
      columns: ['name', 'town'],
      rows: [
        { name: 'Ada', town: 'London' },
        { name: 'Grace, H.', town: 'New York' },
      ],
    })
    expect(await (await post('')).json()).to.deep.equal({ columns: [], rows: [] })
    expect((await fetch(url)).status).to.equal(405)
    await stop('SIGKILL')
  })
})
