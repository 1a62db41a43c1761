/** The options of npm start. */
import { expect } from 'chai'
import { readStartOptions, UsageError } from '../../one-machine/start/options.ts'

const env = { XDG_DATA_HOME: '/home/me/data' }

describe('readStartOptions', () => {
  it('needs none', () => {
    expect(readStartOptions([], env)).to.deep.equal({
      takeOver: false,
      dataDir: '/home/me/data/svc',
      port: 8085,
      reset: false,
      demo: false,
      serverless: false,
      logStore: false,
      gitServer: false,
      yes: false,
      watch: false,
    })
  })

  it('reads them all', () => {
    const args = [
      '--cluster',
      'simulated',
      '--temporal',
      'temporal.example:7233',
      '--take-over',
      '--data',
      '/tmp/x',
      '--port',
      '9000',
      '--reset',
      '--demo',
      '--serverless',
      '--log-store',
      '--git-server',
      '-y',
      '--watch',
    ]
    expect(readStartOptions(args, env)).to.deep.equal({
      cluster: 'simulated',
      temporal: 'temporal.example:7233',
      takeOver: true,
      dataDir: '/tmp/x',
      port: 9000,
      reset: true,
      demo: true,
      serverless: true,
      logStore: true,
      gitServer: true,
      yes: true,
      watch: true,
    })
  })

  it('asks for help', () => {
    expect(readStartOptions(['--help', '--demo'], env)).to.equal('help')
  })

  const mistakes: [string, string[], string][] = [
    ['an unknown option', ['--prot', '1'], "Unknown option '--prot'; npm start -- --help lists the options"],
    ['an unknown cluster', ['--cluster', 'big'], '--cluster must be one of node, simulated, kubeconfig'],
    ['a port that is none', ['--port', '0'], '--port must be a number from 1 to 65535'],
    ['an address with a scheme', ['--temporal', 'http://a:1'], '--temporal must be an address such as 127.0.0.1:7233'],
  ]
  for (const [mistake, args, sentence] of mistakes) {
    it(`answers ${mistake} with one sentence`, () => {
      expect(() => readStartOptions(args, env)).to.throw(UsageError, sentence)
    })
  }
})
