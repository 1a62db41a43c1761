/** The first requests to the API server of a simulated cluster, while it writes the certificate that verifies them. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createKubeApi } from '../../one-machine/simulated/kube-api.ts'
import { makeAuthority, type TestAuthority } from '../harness/dashboard-endpoint.ts'

describe('the API server of a simulated cluster', () => {
  let folder: string
  let authority: TestAuthority
  let server: Server
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-kube-api-'))
    authority = await makeAuthority()
    server = createServer(
      await authority.issue('localhost,IP:127.0.0.1'),
      (_request, response) => void response.end('ok'),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  after(async () => {
    server.close()
    await authority.forget()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is ready once its certificate is whole, also where a part of it was read before', async () => {
    const certificate = join(folder, 'apiserver.crt')
    const api = createKubeApi((server.address() as AddressInfo).port, certificate, 'token')
    expect(await api.isReady(), 'without a certificate').to.equal(false)
    writeFileSync(certificate, authority.pem.slice(0, authority.pem.length / 2))
    expect(await api.isReady(), 'with half of it').to.equal(false)
    writeFileSync(certificate, '')
    expect(await api.isReady(), 'with an empty file').to.equal(false)
    writeFileSync(certificate, authority.pem)
    expect(await api.isReady()).to.equal(true)
    await api.close()
  })
})
