/**
 * The scripts of backups and restores on real engines, with a real object server: what was written comes back, and
 * what was changed in the store is found before anything is loaded. MariaDB stands in for MySQL.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { drillScript } from '../../../kinds/backup-archives/drill-script.ts'
import { drilledIn, storedIn } from '../../../kinds/backup-archives/jobs.ts'
import { backupScript, opening, restoreScript } from '../../../kinds/backup-archives/scripts.ts'
import { freePort } from '../../../one-machine/processes/index.ts'
import { connectS3, type MinioS3 } from '../../../outside/minio/s3.ts'
import { folderOf, playPod, type PodEnd, type PodRun } from '../../harness/backup-pod.ts'
import { download, filled, lineOf } from '../../harness/backups-guide.ts'
import { debianPrograms } from '../../harness/debian-programs.ts'
import { engineWithinMs } from '../../harness/engines.ts'
import { backedEngines, type BackedEngine, drillTools, startBacked } from '../../harness/backed-engines.ts'
import { startRelay } from '../../harness/relay.ts'
import { type Minio, minioWithinMs, startMinio } from '../../harness/minio.ts'

const bucket = 'kept-backups'
const key = randomBytes(24).toString('hex')

/** What loads a backup by hand: the guide's line, with the server that takes it. A redis is a new one. */
const byHand: Readonly<Record<BackedEngine['engine'], (to: BackedEngine) => string>> = {
  postgres: ({ host, port, pod }) =>
    filled(lineOf('pg_restore'), {
      orders: 'shop',
      DATABASE: `shop -h ${host} -p ${port} -U ${pod.admin?.['username']}`,
    }),
  mysql: ({ host, port, pod }) =>
    filled(lineOf('sed'), {
      orders: 'shop',
      'mysql --binary-mode DATABASE': `mariadb --binary-mode -h ${host} -P ${port} -u ${pod.admin?.['username']} shop`,
    }),
  redis: () => `${lineOf('redis-server')} --port "$OWN_PORT" &
server=$!
until redis-cli -p "$OWN_PORT" PING >/dev/null 2>&1; do kill -0 $server && sleep 0.1; done
redis-cli -p "$OWN_PORT" GET kept >"$SAID"
kill $server && wait $server`,
  sqlite: ({ host, port, pod }) =>
    filled(lineOf('curl'), {
      '-u USER': `--fail-with-body -u ${pod.login?.['username']}:${pod.login?.['password']}`,
      'HOST:4001': `${host}:${port}`,
    }),
}

const passwordOf = ({ admin }: BackedEngine['pod']): Record<string, string> => {
  const password = admin?.['password'] ?? ''
  return { PGPASSWORD: password, MYSQL_PWD: password }
}

describe('the scripts of backups', function () {
  this.timeout(120_000)
  let minio: Minio
  let s3: MinioS3

  before(async function () {
    this.timeout(minioWithinMs)
    minio = await startMinio()
    s3 = connectS3(minio)
    await s3.ask((client) => client.send(new CreateBucketCommand({ Bucket: bucket })))
  })
  after(async () => {
    s3?.end()
    await minio?.stop()
  })

  const storeOf = (path: string): Record<string, string> => ({
    provider: 'Minio',
    endpoint: minio.endpoint,
    region: 'us-east-1',
    accessKey: minio.accessKey,
    secretKey: minio.secretKey,
    bucket,
    path,
    key,
  })
  const back = (from: BackedEngine, path: string): Promise<PodEnd> =>
    playPod({ ...from.pod, script: backupScript(from.engine), store: storeOf(path) })
  const restore = (
    to: BackedEngine,
    path: string,
    checksum: string,
    {
      script = restoreScript(to.engine),
      store = storeOf(path),
      variables = {},
    }: Partial<Pick<PodRun, 'script' | 'store' | 'variables'>> = {},
  ): Promise<PodEnd> =>
    playPod({
      ...to.pod,
      script,
      store,
      variables: { ...to.pod.variables, ANSWERS_WITHIN: '60', CHECKSUM: checksum, ...variables },
    })
  const filesOf = async (path: string): Promise<string[]> => {
    const { Contents = [] } = await s3.ask((client) =>
      client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: `${path}/` })),
    )
    return Contents.map(({ Key = '' }) => Key)
  }
  const bytesOf = async (Key: string): Promise<Buffer> => {
    const { Body } = await s3.ask((client) => client.send(new GetObjectCommand({ Bucket: bucket, Key })))
    return Buffer.from((await Body?.transformToByteArray()) ?? [])
  }
  const put = (Key: string, Body: Buffer) =>
    s3.ask((client) => client.send(new PutObjectCommand({ Bucket: bucket, Key, Body })))

  for (const engine of backedEngines) {
    describe(`of ${engine}`, () => {
      let one: BackedEngine
      let other: BackedEngine
      let made: { checksum: string; size: number; point: string }
      let first: PodEnd
      const path = `svc-backups/${engine}`

      before(async function () {
        this.timeout(2 * engineWithinMs)
        one = await startBacked(engine)
        other = await startBacked(engine)
        await one.put('otter')
        first = await back(one, path)
        expect(first.said, first.log).to.match(/^\{/)
        made = JSON.parse(first.said) as typeof made
      })
      after(async () => {
        await Promise.all([one?.stop(), other?.stop()])
      })

      it('store what the engine gives, encrypted, and restore it into a server with another login', async () => {
        expect(made.size).to.be.greaterThan(0)
        for (const file of await filesOf(path))
          expect((await bytesOf(file)).includes('otter'), `${file} in the clear`).to.equal(false)
        const end = await restore(other, path, made.checksum)
        expect({ code: end.code, said: end.said }, end.log).to.deep.equal({ code: 0, said: '{}' })
        expect(await other.take()).to.equal('otter')
      })

      it('are proven by a drill, which asks nothing of the server and counts what was stored', async () => {
        await one.put('beaver')
        const tools = await drillTools(engine)
        const drill = (checksum: string) =>
          playPod({
            script: drillScript(engine),
            store: storeOf(path),
            ...tools,
            variables: { ...tools.variables, CHECKSUM: checksum },
            unprivileged: engine === 'postgres' || engine === 'mysql',
          })
        const end = await drill(made.checksum)
        const wrong = await drill('0'.repeat(64))
        await tools.stop()
        expect({ code: end.code, counts: drilledIn(end.said)?.counts }, end.log).to.deep.equal({
          code: 0,
          counts: storedIn(first.said)?.counts,
        })
        expect(storedIn(first.said)?.counts).to.deep.include(
          engine === 'redis' ? { keys: 1 } : engine === 'sqlite' ? {} : { tables: 1, rows: 1 },
        )
        expect(wrong.said).to.equal('the backup is not what was written: its manifest differs')
        for (const secret of [key, minio.secretKey, ...one.secrets]) expect(end.log).not.to.include(secret)
      })

      it('restore a second time over what is there', async () => {
        await other.put('beaver')
        const end = await restore(other, path, made.checksum)
        expect(end.code, end.log).to.equal(0)
        expect(await other.take()).to.equal('otter')
      })

      it('restore into a server that starts meanwhile, and say when none answers', async () => {
        await other.put('beaver')
        const late = await freePort()
        const SERVER_PORT = String(late)
        const none = await restore(other, path, made.checksum, { variables: { SERVER_PORT, ANSWERS_WITHIN: '1' } })
        expect({ code: none.code, said: none.said }, none.log).to.deep.equal({
          code: 1,
          said: 'the server did not answer',
        })
        expect(await other.take()).to.equal('beaver')
        const restoring = restore(other, path, made.checksum, { variables: { SERVER_PORT } })
        await sleep(3000)
        const relay = await startRelay(late, other)
        const end = await restoring
        await relay.close()
        expect({ code: end.code, said: end.said }, end.log).to.deep.equal({ code: 0, said: '{}' })
        expect(await other.take()).to.equal('otter')
      })

      it('can be restored by hand, as the guide says', async () => {
        await other.put('beaver')
        const [folder, curl] = await Promise.all([
          mkdtemp(join(tmpdir(), 'svc-by-hand-')),
          debianPrograms(['curl'], ['curl']),
        ])
        const OWN_PORT = String(await freePort())
        const script = `${download(minio, { bucket, path, key })}
${byHand[engine](other)}
`
        const { pod } = other
        const end = await playPod({
          ...pod,
          script,
          store: {},
          variables: { FOLDER: folder, OWN_PORT, ...passwordOf(pod) },
          path: [...(pod.path ?? []), folderOf(curl, 'curl')],
          env: { ...curl.env, ...pod.env },
        })
        await rm(folder, { recursive: true, force: true })
        expect(end.code, end.log).to.equal(0)
        expect(engine === 'redis' ? end.said : await other.takeAsAdmin()).to.include('otter')
      })

      it('name no password and no key in their output', async () => {
        const secrets = [key, minio.secretKey, ...one.secrets]
        for (const secret of secrets) expect(`${first.log}${first.said}`).not.to.include(secret)
      })
    })
  }

  describe('of a mysql, whose record was written to lead to other files', () => {
    let server: BackedEngine
    const folder = 'svc-backups/other-files'

    before(async function () {
      this.timeout(engineWithinMs)
      server = await startBacked('mysql')
    })
    after(() => server?.stop())

    /** Stores one file as a backup stores it, and restores it. */
    async function restored(NAME: string, TEXT: string): Promise<PodEnd> {
      const sealed = await playPod({
        ...server.pod,
        script: `${opening}printf %s "$TEXT" | rclone rcat "sealed:$NAME"
printf '%s  %s\\n' "$(printf %s "$TEXT" | digest)" "$NAME" >"$WORK/list"
rclone rcat sealed:manifest.sha256 <"$WORK/list"
ends "$(digest <"$WORK/list")" 0
`,
        store: storeOf(folder),
        variables: { NAME, TEXT },
      })
      return await restore(server, folder, sealed.said)
    }

    it('run no command of the client that stands in a file', async () => {
      const mark = join(tmpdir(), `svc-ran-${randomBytes(4).toString('hex')}`)
      const end = await restored('shop.sql', `SELECT 1;\n\\! touch ${mark}\n`)
      const ran = existsSync(mark)
      await rm(mark, { force: true })
      expect({ ran, code: end.code, said: end.said }, end.log).to.deep.equal({
        ran: false,
        code: 1,
        said: 'the backup could not be loaded',
      })
    })

    it('take no file of another engine', async () => {
      const end = await restored('bucket-1.tar', 'SELECT 1;\n')
      expect({ code: end.code, said: end.said }, end.log).to.deep.equal({
        code: 1,
        said: 'the backup is not what was written: bucket-1.tar is of another engine',
      })
    })
  })

  describe('of a backup that was changed in the store', () => {
    let server: BackedEngine
    let checksum = ''
    const kept = 'svc-backups/kept'
    const elsewhere = 'svc-backups/elsewhere'
    const changes: readonly [string, string, (file: string, other: Buffer) => Promise<unknown>][] = [
      ['flipped bytes', 'differs', async (file) => put(file, flipped(await bytesOf(file)))],
      ['a file cut short', 'differs', async (file) => put(file, (await bytesOf(file)).subarray(0, -10_000))],
      ['a file of another backup', 'differs', async (file, other) => put(file, other)],
      [
        'a file that is gone',
        'differs',
        async (Key) => s3.ask((client) => client.send(new DeleteObjectCommand({ Bucket: bucket, Key }))),
      ],
    ]

    before(async function () {
      this.timeout(engineWithinMs)
      server = await startBacked('redis')
      for (const path of [kept, elsewhere]) {
        await server.put(randomBytes(30_000).toString('hex'))
        const end = await back(server, path)
        if (path === kept) ({ checksum } = JSON.parse(end.said) as { checksum: string })
      }
      await server.put('beaver')
    })
    after(() => server?.stop())

    const fileIn = async (folder: string) => (await filesOf(folder)).find((file) => file.includes('dump.rdb')) ?? ''
    for (const [what, said, change] of changes) {
      it(`find ${what}, and load nothing`, async () => {
        const file = await fileIn(kept)
        const before = await bytesOf(file)
        await change(file, await bytesOf(await fileIn(elsewhere)))
        const end = await restore(server, kept, checksum)
        await put(file, before)
        expect({ code: end.code, said: end.said }, end.log).to.deep.equal({
          code: 1,
          said: `the backup is not what was written: dump.rdb ${said}`,
        })
        expect(await server.take()).to.equal('beaver')
      })
    }

    it('find another backup in its place, and a key that is not its own', async () => {
      const end = await restore(server, kept, checksum.replaceAll(/./g, '0'))
      expect(end.said).to.equal('the backup is not what was written: its manifest differs')
      const wrong = await restore(server, kept, checksum, { store: { ...storeOf(kept), key: 'another' } })
      expect(wrong.said).to.equal('the backup is not in the object store, or cannot be read')
    })

    it('end where the server was started again meanwhile, and takes nothing any more', async () => {
      const script = restoreScript('redis')
      const again = `printf 'REPLICAOF NO ONE\\n' | server >/dev/null\n`
      const changed = script.replace('until link=', (found) => `${again}${found}`)
      expect(changed).not.to.equal(script)
      const end = await restore(server, kept, checksum, { script: changed })
      expect({ code: end.code, said: end.said }, end.log).to.deep.equal({
        code: 1,
        said: 'the backup could not be loaded',
      })
    })

    it('say what failed, and leave no manifest', async () => {
      const path = `svc-backups/${randomBytes(4).toString('hex')}`
      const refused = await playPod({
        ...server.pod,
        login: { ...server.pod.login, password: 'another' },
        script: backupScript('redis'),
        store: storeOf(path),
      })
      expect({ code: refused.code, said: refused.said }).to.deep.equal({
        code: 1,
        said: 'the dump of the database failed',
      })
      const away = await playPod({
        ...server.pod,
        script: backupScript('redis'),
        store: { ...storeOf(path), secretKey: 'another' },
      })
      expect({ code: away.code, said: away.said }).to.deep.equal({
        code: 1,
        said: 'the object store did not take the backup',
      })
      expect(await filesOf(path)).to.deep.equal([])
    })
  })
})

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  const middle = Math.floor(copy.length / 2)
  copy[middle] = (copy[middle] ?? 0) ^ 0xff
  return copy
}
