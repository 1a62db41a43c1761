/**
 * `npm start` on a real node: the object server runs there, and a service with an attached bucket gets its address and
 * keys.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { V1Service } from '@kubernetes/client-node'
import { expect } from 'chai'
import { type Client, createClient } from '../../../client/client.ts'
import { signInByPassword } from '../../../client/password-sign-in.ts'
import type { Sent } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { freePort } from '../../../one-machine/processes/ports.ts'
import { withCluster } from '../../../one-machine/cluster.ts'
import { connectS3 } from '../../../outside/minio/s3.ts'
import { eventually } from '../../cluster/eventually.ts'
import { minioWithinMs } from '../../harness/minio.ts'
import { makeServersOf } from '../../harness/servers.ts'
import { Start, startWithinMs } from '../started.ts'

const can = canHaveNode()

;(can.ok ? describe : describe.skip)('A bucket on a real node', function () {
  this.timeout(startWithinMs + minioWithinMs)
  let dataDir: string
  let running: Start
  let client: Client
  let project: string

  before(async () => {
    await makeServersOf('node')
    dataDir = mkdtempSync(join(tmpdir(), 'svc-start-bucket-'))
    running = new Start('--cluster', 'node', '--data', dataDir, '--port', String(await freePort()))
    await running.untilServed()
    const baseUrl = /svc +(http:\S+)/.exec(running.output)?.[1] ?? ''
    const password = /password (\S+)/.exec(running.output)?.[1] ?? ''
    const token = await signInByPassword({
      baseUrl,
      username: 'admin',
      password,
      tokenName: 'bucket',
      expiresInDays: 1,
      userAgent: 'svc-test',
    })
    client = createClient({ baseUrl, token, userAgent: 'svc-test' })
    project = (await client.call('projects.create', {})).project
  })
  after(async () => {
    await running?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const untilReady = async (store: string): Promise<void> => {
    let last: unknown
    const isReady = async () => {
      const { status } = await client.call('object-stores.get', { store })
      const { conditions = [] } = status as { conditions?: { type: string; status: string }[] } // of a store
      last = conditions
      return conditions.some((each) => each.type === 'Ready' && each.status === 'True')
    }
    await eventually(`${store} is ready`, isReady, minioWithinMs - 60_000).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(last)}; ${running.output.slice(-500)}`)
    })
  }

  it('the server runs from the image of the stack, and the worker reaches it from outside of the cluster', async () => {
    const { name } = await client.call('object-stores.create', {})
    await untilReady(name)
  })

  it('an attached bucket gives the container four variables, with which it can be used', async () => {
    await client.call('object-stores.create', {
      project,
      environment: 'production',
      name: 'photos',
      bucket: 'holiday',
      deploy: true,
    })
    await untilReady('photos')
    await client.call('apps.create', {
      project,
      environment: 'production',
      name: 'keeper',
      image: 'busybox',
      runAsRoot: true,
    })
    await client.call('apps.attach', { app: 'keeper', name: 'photos', kind: 'object-store' })
    const script =
      'echo "has $OBJ_ENDPOINT $OBJ_BUCKET $OBJ_ACCESS_KEY_ID $OBJ_SECRET_ACCESS_KEY"; wget -q -O /dev/null $OBJ_ENDPOINT/minio/health/live && echo reached; sleep 3600'
    await client.call('apps.update', { app: 'keeper', command: ['sh', '-c', script], deploy: true })
    let lines: string[] = []
    const said = async (): Promise<boolean> => {
      lines = (await client.call('apps.logs', { app: 'keeper' })).lines.map(({ line }) => line)
      return lines.includes('reached')
    }
    await eventually('the container reaches the server', said, 120_000).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${lines.join('\n')}`)
    })
    const [, endpoint, bucket = '', accessKey = '', secretKey = ''] =
      lines.find((line) => line.startsWith('has '))?.split(' ') ?? []
    expect([endpoint, bucket, accessKey]).to.deep.equal([
      'http://svc-minio.svc-system.svc:9000',
      `${project}.production.holiday`,
      'photos',
    ])
    const s3 = connectS3({ endpoint: await addressOfServer(), accessKey, secretKey })
    await s3.ask((asked) => asked.send(new PutObjectCommand({ Bucket: bucket, Key: 'beach', Body: 'waves' })))
    const { Body } = await s3.ask((asked) => asked.send(new GetObjectCommand({ Bucket: bucket, Key: 'beach' })))
    expect(await Body?.transformToString()).to.equal('waves')
    s3.end()
  })

  it('bucket and server go with all that they had', async () => {
    const left = async () => (await client.call('object-stores.list', {})).items.map(({ name }) => name)
    await client.call('object-stores.delete', { store: 'photos', confirmName: 'photos' })
    await eventually('the bucket is gone', async () => !(await left()).includes('photos'), 120_000)
    await client.call('object-stores.delete', { store: 'object-server', confirmName: 'object-server' })
    await eventually('the server is gone', async () => (await left()).length === 0, 120_000)
  })

  /** This machine does not resolve names of the cluster, but routes the addresses of its Services. */
  async function addressOfServer(): Promise<string> {
    const kubeconfig = /kubeconfig +(\S+)/.exec(running.output)?.[1]
    const service = await withCluster(kubeconfig, (cluster) =>
      cluster.get<Sent<V1Service>>({ type: coreTypes.service, namespace: 'svc-system', name: 'svc-minio' }),
    )
    return `http://${service?.spec?.clusterIP ?? ''}:9000`
  }
})
