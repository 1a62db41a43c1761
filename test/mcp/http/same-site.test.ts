/** Addresses to listen at, and which Host and Origin may come in. */
import { expect } from 'chai'
import { parseListenAddress, sameSite } from '../../../mcp/http/same-site.ts'

describe('the address to listen at', () => {
  const rows: [string, ReturnType<typeof parseListenAddress>][] = [
    ['8090', { host: '127.0.0.1', port: 8090 }],
    [':8090', { host: '127.0.0.1', port: 8090 }],
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['localhost:1', { host: 'localhost', port: 1 }],
    ['[::1]:8090', { host: '::1', port: 8090 }],
    ['0.0.0.0:8090', { host: '0.0.0.0', port: 8090 }],
    ['tools.example.com:443', { host: 'tools.example.com', port: 443 }],
    ['', undefined],
    ['localhost', undefined],
    ['65536', undefined],
    ['::1:8090', undefined],
    ['http://localhost:8090', undefined],
    ['8090 ', undefined],
  ]
  for (const [text, address] of rows)
    it(`"${text}" is ${address === undefined ? 'none' : `${address.host} port ${address.port}`}`, () => {
      expect(parseListenAddress(text)).to.deep.equal(address)
    })
})

describe('host and origin', () => {
  const rows: [bound: string, host: string | undefined, origin: string | undefined, allowed: boolean][] = [
    ['127.0.0.1', '127.0.0.1:8090', undefined, true],
    ['127.0.0.1', 'localhost:8090', undefined, true],
    ['127.0.0.1', 'LOCALHOST:8090', undefined, true],
    ['127.0.0.1', '[::1]:8090', undefined, true],
    ['127.0.0.1', 'localhost:8090', 'http://localhost:3000', true],
    ['127.0.0.1', 'evil.example.com', undefined, false],
    ['127.0.0.1', 'localhost.evil.example.com:8090', undefined, false],
    ['127.0.0.1', '127.0.0.1.evil.example.com', undefined, false],
    ['127.0.0.1', 'evil.example.com@localhost', undefined, false],
    ['127.0.0.1', 'localhost@evil.example.com', undefined, false],
    ['127.0.0.1', '192.0.2.1:8090', undefined, false],
    ['127.0.0.1', 'localhost:8090', 'http://evil.example.com', false],
    ['127.0.0.1', 'localhost:8090', 'null', false],
    ['127.0.0.1', undefined, undefined, false],
    ['127.0.0.1', '', undefined, false],
    ['127.0.0.1', 'proxy.example.com', undefined, true],
    ['127.0.0.1', 'proxy.example.com', 'https://proxy.example.com', true],
    ['0.0.0.0', '192.0.2.1:8090', undefined, true],
    ['0.0.0.0', '[2001:db8::1]:8090', undefined, true],
    ['0.0.0.0', 'evil.example.com:8090', undefined, false],
    ['0.0.0.0', '192.0.2.1:8090', 'http://evil.example.com', false],
    ['tools.example.com', 'Tools.Example.Com:443', undefined, true],
    ['tools.example.com', 'other.example.com', undefined, false],
  ]
  for (const [bound, host, origin, allowed] of rows)
    it(`at ${bound}: ${host ?? 'no host'} from ${origin ?? 'no page'} is ${allowed ? 'let in' : 'refused'}`, () => {
      expect(sameSite({ host: bound, port: 1 }, ['proxy.example.com'])(host, origin)).to.equal(allowed)
    })
})
