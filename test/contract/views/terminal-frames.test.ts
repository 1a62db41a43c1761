/** The frames of terminals. */
import { expect } from 'chai'
import {
  endOfInput,
  frameOf,
  resizeFrame,
  terminalChannels,
  terminalEndOf,
} from '../../../contract/views/terminal-frames.ts'

const status = (value: unknown) => frameOf(terminalChannels.status, new TextEncoder().encode(JSON.stringify(value)))

describe('frames of a terminal', () => {
  it('begin with the number of their channel', () => {
    expect([...frameOf(terminalChannels.stdin, Uint8Array.of(108, 115))]).to.deep.equal([0, 108, 115])
    expect(Buffer.from(resizeFrame(80, 24)).toString()).to.equal('\u0004{"Width":80,"Height":24}')
    expect([...endOfInput]).to.deep.equal([255, 0])
  })

  it('say how the command ended, in the words of the cluster', () => {
    const failed = { status: 'Failure', reason: 'NonZeroExitCode', message: 'command terminated with exit code 3' }
    const causes = [{ reason: 'ExitCode', message: '3' }]
    expect(terminalEndOf(status({ metadata: {}, status: 'Success' }))).to.deep.equal({ exitCode: 0 })
    expect(terminalEndOf(status({ ...failed, details: { causes } }))).to.deep.equal({ exitCode: 3 })
    expect(terminalEndOf(status({ status: 'Failure', message: 'no such file' }))).to.deep.equal({
      failure: 'no such file',
    })
  })

  it('of other channels say nothing of it, and one that is no Status says no more than that', () => {
    expect(terminalEndOf(frameOf(terminalChannels.stdout, status({ status: 'Success' })))).to.equal(undefined)
    expect(terminalEndOf(Uint8Array.of(terminalChannels.status))).to.equal(undefined)
    for (const text of ['not JSON', 'null', '[]', '{"details":{"causes":[{"reason":"ExitCode"}]}}'])
      expect(terminalEndOf(frameOf(terminalChannels.status, Buffer.from(text))), text).to.deep.equal({
        failure: 'the command could not be run',
      })
  })
})
