/** Another server than the wanted one at the address: its answer is refused in words, and no part of it is used. */
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createDiscovery } from '../../cluster/discovery.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { connectMinioAdmin } from '../../outside/minio/admin.ts'
import { queryRqlite } from '../../outside/databases/query/rqlite.ts'
import { ensureCluster } from '../../temporal/setup/ensure-cluster.ts'

const reasonOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    (answer) => `answered ${JSON.stringify(answer)}`,
    (error: unknown) => String(error),
  )

describe('another server at the address', () => {
  let server: Server
  let port: number
  let body = ''
  let status = 200

  before(async () => {
    server = createServer((_, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    ;({ port } = server.address() as AddressInfo) // it listens on a port
  })
  after(() => server.close())
  beforeEach(() => (status = 200))

  const queried = (): Promise<string> => {
    const at = { host: '127.0.0.1', port, database: '', username: 'u', password: 'hunter2' }
    const limits = { withinMs: 5000, rows: 10, bytes: 1024 }
    const asked = { statement: 'SELECT 1', write: false, limits, signal: new AbortController().signal }
    return reasonOf(queryRqlite(at, asked))
  }

  for (const text of ['<html>', 'null', '{"results": {}}', '{"results": [{"columns": 1}]}', '{"error": {}}'])
    it(`is not rqlite where it answers ${text}`, async () => {
      body = text
      expect(await queried()).to.equal('UpstreamError: what answers is not rqlite')
    })

  it('is named by its status where it refuses a query without a word', async () => {
    ;[status, body] = [401, '']
    expect(await queried()).to.equal('UpstreamError: the database answers with status 401')
  })

  for (const text of ['<html>', 'null', '[]', '{"policyName": 5}'])
    it(`is not MinIO where it answers ${text}`, async () => {
      body = text
      const admin = connectMinioAdmin({ endpoint: `http://127.0.0.1:${port}`, accessKey: 'a', secretKey: 'hunter2' })
      const said = 'UpstreamError: MinIO does not answer: what does is not MinIO'
      expect(await reasonOf(admin.readUser('calm-otter'))).to.equal(said)
      if (text === '<html>') expect(await reasonOf(admin.readPolicy('p'))).to.equal(said)
    })

  for (const text of ['<html>', 'null', '{}', '{"resources": [{}]}'])
    it(`is no API server where it answers ${text}`, async () => {
      // The two calls that are made.
      const client = { raw: async () => text, get: async () => ({ metadata: {} }) } as unknown as ClusterClient
      expect(await reasonOf(createDiscovery(client).hasType(coreTypes.deployment))).to.equal(
        'Error: the API server answers /apis/apps/v1 with something else than its resources',
      )
      expect(await reasonOf(ensureCluster(client, new Date()))).to.equal(
        'Error: the API server answers /version with something else than its version',
      )
    })
})
