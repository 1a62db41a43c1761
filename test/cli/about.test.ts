/** `svc version` compares the API line that it speaks with that of the service. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { answerAtOnce } from '../../cli/platform/answer-at-once.ts'
import { openDesk, type Desk } from './run-svc.ts'

describe('svc version', () => {
  let desk: Desk
  beforeEach(async () => (desk = await openDesk()))
  afterEach(async () => await desk.close())

  const lines: [string, string][] = [
    ['v1', ''],
    ['v2', 'this svc speaks api v1, the service v2: install a newer svc\n'],
    ['v0', 'this svc speaks api v1, the service v0: update the service, or install the svc of its release\n'],
    ['beta', 'this svc speaks api v1, the service beta\n'],
  ]
  for (const [api, advice] of lines) {
    it(`of a service that speaks ${api} advises ${advice || 'nothing'}`, async () => {
      desk.service.on('GET /version', { json: { api, name: 'svc' } })
      expect(await desk.signedIn(['version'])).to.deep.include({
        code: 0,
        out: `svc dev\napi ${api} (svc)\n`,
        err: advice,
      })
      const { out } = await desk.signedIn(['version', '--json'])
      expect(JSON.parse(out)).to.deep.equal({ client: 'dev', server: { api, name: 'svc' }, compatible: advice === '' })
    })
  }
  it('says so without a service', async () => {
    expect(await desk.svc(['version'])).to.deep.include({ code: 0, out: 'svc dev\nnot signed in to a service\n' })
  })

  const atOnce = (argv: string[], more: Record<string, string> = {}): string | undefined => {
    let said = ''
    const isAnswered = answerAtOnce(argv, { SVC_CONFIG: desk.configPath, ...more }, (text) => (said += text).length)
    return isAnswered ? said : undefined
  }
  for (const argv of [['version'], ['--version'], ['-v']])
    it(`svc ${argv.join(' ')} is answered without the program in the words of the usual way`, async () => {
      const { code, out } = await desk.svc(argv)
      expect([code, atOnce(argv)]).to.deep.equal([0, out])
    })
  it('goes the usual way with other words, where anything names a service, and where the pipe is closed', async () => {
    for (const argv of [[], ['version', '--json'], ['--json', 'version'], ['status'], ['--version', 'x']])
      expect(atOnce(argv), argv.join(' ')).to.equal(undefined)
    for (const name of ['SVC_URL', 'SVC_TOKEN', 'SVC_CONTEXT'])
      expect(atOnce(['version'], { [name]: 'x' }), name).to.equal(undefined)
    const closed = (): never => {
      throw new Error('EPIPE')
    }
    expect(answerAtOnce(['--version'], {}, closed)).to.equal(false)
    await mkdir(dirname(desk.configPath), { recursive: true })
    await writeFile(desk.configPath, '{}')
    expect(atOnce(['version'])).to.equal(undefined)
    expect(atOnce(['--version'])).to.equal('dev\n')
  })
})
