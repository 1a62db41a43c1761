/** How `svc shell` ends, against a server with prepared ends: exit codes, failures, and what the server closes for. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { WebSocketServer, type WebSocket } from 'ws'
import { endOfInput, frameOf, terminalChannels, terminalProtocol } from '../../contract/views/terminal-frames.ts'
import { openDesk, type Desk } from './run-svc.ts'

const status = (value: object) => frameOf(terminalChannels.status, Buffer.from(JSON.stringify(value)))
const exitCode = (code: number) =>
  status({ status: 'Failure', details: { causes: [{ reason: 'ExitCode', message: String(code) }] } })

describe('svc shell ends', () => {
  let desk: Desk
  let server: WebSocketServer
  let asked: string | undefined
  let answer: (socket: WebSocket) => void

  before(async () => {
    desk = await openDesk()
    server = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: () => terminalProtocol })
    server.on('connection', (socket, { url }) => {
      asked = url
      answer(socket)
    })
    await once(server, 'listening')
  })
  after(async () => {
    server.close()
    await desk.close()
  })

  async function shell(args: readonly string[], input = '') {
    const { port } = server.address() as AddressInfo // a TCP server has one
    const run = await desk.svc(['--url', `http://127.0.0.1:${port}`, '--token', 'svw_a_b', 'shell', ...args], { input })
    return [run.code, run.out, run.err]
  }

  it('with the exit code of the command, and says nothing of its own', async () => {
    answer = (socket) => {
      socket.send(frameOf(terminalChannels.stdout, Buffer.from('some\n')))
      socket.send(exitCode(42))
      socket.close(1000)
    }
    const words = ['web', '--copy', 'web-1', '--container', 'side', '--', 'ls', '-l', '']
    expect(await shell(words)).to.deep.equal([42, 'some\n', ''])
    expect(asked).to.equal(
      '/api/v1/apps/web/console/ws?tty=off&command=ls&command=-l&command=&pod=web-1&container=side',
    )
  })

  it('with 1 and the reason where the command could not be run, or the server closed', async () => {
    answer = (socket) => {
      socket.send(status({ status: 'Failure', message: 'no such file' }))
      socket.close(1000)
    }
    expect(await shell(['web'])).to.deep.equal([1, '', 'error: no such file\n'])
    answer = (socket) => socket.close(4000, 'nothing was typed or shown for too long')
    expect(await shell(['web'])).to.deep.equal([1, '', 'error: nothing was typed or shown for too long\n'])
    answer = (socket) => socket.terminate()
    expect(await shell(['web'])).to.deep.equal([1, '', 'error: the connection was cut\n'])
  })

  it('after the end of what comes in a pipe was said', async () => {
    const came: Buffer[] = []
    answer = (socket) =>
      socket.on('message', (message: Buffer) => {
        came.push(message)
        if (message[0] !== terminalChannels.close) return
        socket.send(status({ status: 'Success' }))
        socket.close(1000)
      })
    expect(await shell(['web', '--', 'cat'], 'typed')).to.deep.equal([0, '', ''])
    const stdin = frameOf(terminalChannels.stdin, Buffer.from('typed'))
    expect(came.map((each) => [...each])).to.deep.equal([[...stdin], [...endOfInput]])
  })
})
