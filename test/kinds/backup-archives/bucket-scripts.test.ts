/**
 * The scripts of the backups of buckets on real object servers: what was stored comes back with its content types and
 * metadata, what was changed in the store is found before anything is loaded, and a drill counts what came back. With
 * the tools of this machine, and with those of the image that the Jobs run.
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { drillScript } from '../../../kinds/backup-archives/drill-script.ts'
import { drilledIn, storedIn } from '../../../kinds/backup-archives/jobs.ts'
import { throwaway } from '../../../kinds/backup-archives/bucket-scripts.ts'
import { backupScript, restoreScript } from '../../../kinds/backup-archives/scripts.ts'
import { connectS3, type MinioS3 } from '../../../outside/minio/s3.ts'
import { playPod, type PodEnd } from '../../harness/backup-pod.ts'
import { download, filled, lineOf, storeSection } from '../../harness/backups-guide.ts'
import { debianPrograms } from '../../harness/debian-programs.ts'
import { type Minio, minioWithinMs, startMinio } from '../../harness/minio.ts'

const key = randomBytes(24).toString('hex')
const kept = 'kept-backups'
const prefix = 'proj-1.production.'
const applets = ['awk', 'cat', 'cut', 'date', 'find', 'mkdir', 'mkfifo', 'printf', 'rm', 'sed', 'sha256sum', 'sh', 'tar', 'tee', 'tr', 'wc'] // prettier-ignore

interface Stored {
  Body: string
  ContentType?: string
  CacheControl?: string
  ContentDisposition?: string
  ContentEncoding?: string
  Metadata?: Record<string, string>
}

const media: Readonly<Record<string, Stored>> = {
  'hello.txt': { Body: 'otter', ContentType: 'text/plain; charset=utf-8' },
  'again.bin': { Body: 'otter', ContentType: 'text/plain; charset=utf-8' },
  'a/deep/folder/page.html': { Body: '<p>', ContentType: 'text/html', CacheControl: 'no-cache, max-age=0' },
  empty: { Body: '', ContentType: 'application/x-nothing' },
  ' odd & <names> "quoted" \\ ü \t\nline ': { Body: 'odd', ContentType: 'x-odd/y; a="b\\c"', Metadata: { who: 'me & <you>, "too"', 'of-day': '{1}' } }, // prettier-ignore
  'data.gz': { Body: 'not gzip', ContentEncoding: 'gzip', ContentDisposition: 'attachment; filename="x.gz"' },
  ['x'.repeat(250)]: { Body: 'long' },
}

for (const tools of ['this machine', 'its image']) {
  describe(`the scripts of backups of a bucket, with the tools of ${tools}`, function () {
    this.timeout(120_000)
    let minio: Minio
    let s3: MinioS3
    let folder: string
    let end: PodEnd
    let checksum = ''

    before(async function () {
      this.timeout(minioWithinMs)
      minio = await startMinio()
      s3 = connectS3(minio)
      for (const Bucket of [kept, `${prefix}media`, `${prefix}nothing`]) await create(Bucket)
      for (const [Key, stored] of Object.entries(media)) await put(`${prefix}media`, Key, stored)
      folder = await mkdtemp(join(tmpdir(), 'svc-bucket-tools-'))
      await chmod(folder, 0o755)
      if (tools === 'its image') {
        const busybox = await debianPrograms(['busybox-static'], ['busybox'])
        for (const applet of applets) await symlink(busybox.path('busybox'), join(folder, applet))
      }
    })
    after(async () => {
      s3?.end()
      await minio?.stop()
      if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    })

    const create = (Bucket: string) => s3.ask((client) => client.send(new CreateBucketCommand({ Bucket })))
    const put = (Bucket: string, Key: string, stored: Stored) =>
      s3.ask((client) => client.send(new PutObjectCommand({ Bucket, Key, ...stored })))
    const store = () => ({
      provider: 'Minio',
      endpoint: minio.endpoint,
      region: 'us-east-1',
      accessKey: minio.accessKey,
      secretKey: minio.secretKey,
      bucket: kept,
      path: 'svc-backups/media',
      key,
    })
    const play = (script: string, variables: Record<string, string>) => {
      const { hostname, port } = new URL(minio.endpoint)
      return playPod({
        script,
        store: store(),
        login: { username: minio.accessKey, password: minio.secretKey },
        path: [folder],
        variables: { SERVER_HOST: hostname, SERVER_PORT: port, ...variables },
      })
    }
    const back = () => play(backupScript('bucket'), { BUCKETS: 'media nothing', PREFIX: prefix })
    const restore = (to: string, of = checksum) => play(restoreScript('bucket'), { TO: to, CHECKSUM: of })
    const keysIn = async (Bucket: string): Promise<string[]> => {
      const { Contents = [] } = await s3.ask((client) => client.send(new ListObjectsV2Command({ Bucket })))
      return Contents.map(({ Key = '' }) => Key)
    }
    const bytesOf = async (Key: string): Promise<Buffer> => {
      const { Body } = await s3.ask((client) => client.send(new GetObjectCommand({ Bucket: kept, Key })))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    }
    const writeOver = (Key: string, Body: Buffer) =>
      s3.ask((client) => client.send(new PutObjectCommand({ Bucket: kept, Key, Body })))

    it('store its objects, encrypted, with what they are in numbers', async () => {
      end = await back()
      expect(end.code, end.log).to.equal(0)
      const stored = storedIn(end.said)
      checksum = stored?.checksum ?? ''
      const bytes = Object.values(media).reduce((sum, { Body }) => sum + Body.length, 0)
      expect(stored?.counts).to.deep.equal({ objects: Object.keys(media).length, bytes })
      expect(await keysIn(kept)).to.have.members(
        ['manifest.sha256', 'bucket-1.tar', 'bucket-2.tar'].map((file) => `svc-backups/media/${file}.bin`),
      )
      for (const file of await keysIn(kept))
        for (const word of ['otter', 'hello.txt'])
          expect((await bytesOf(file)).includes(word), `${word} of ${file} in the clear`).to.equal(false)
      for (const secret of [key, minio.secretKey]) expect(end.log).not.to.include(secret)
    })

    it('restore every object with its content type and its metadata, also a second time over what is there', async () => {
      for (const Bucket of ['new-media', 'new-nothing']) await create(Bucket)
      for (const _ of ['first', 'second']) {
        const ended = await restore('new-media new-nothing')
        expect({ code: ended.code, said: ended.said }, ended.log).to.deep.equal({ code: 0, said: '{}' })
      }
      expect(await keysIn('new-media')).to.have.members(Object.keys(media))
      expect(await keysIn('new-nothing')).to.deep.equal([])
      for (const [Key, stored] of Object.entries(media)) {
        const found = await s3.ask((client) => client.send(new GetObjectCommand({ Bucket: 'new-media', Key })))
        const was = await s3.ask((client) => client.send(new HeadObjectCommand({ Bucket: `${prefix}media`, Key })))
        expect(await found.Body?.transformToString(), Key).to.equal(stored.Body)
        const { mtime: _, ...own } = found.Metadata ?? {}
        expect(own, Key).to.deep.equal(was.Metadata ?? {})
        for (const name of ['ContentType', 'CacheControl', 'ContentDisposition', 'ContentEncoding'] as const)
          expect(found[name], `${name} of ${Key}`).to.equal(was[name])
      }
    })

    it('are proven by a drill on an object server that is thrown away, which finds a wrong checksum', async () => {
      const own = await startMinio({ accessKey: throwaway.username, secretKey: throwaway.password })
      const OWN_PORT = new URL(own.endpoint).port
      const drill = (of: string) => play(drillScript('bucket'), { OWN_PORT, CHECKSUM: of })
      const [proven, wrong] = [await drill(checksum), await drill('0'.repeat(64))]
      await own.stop()
      expect(proven.code, proven.log).to.equal(0)
      expect(drilledIn(proven.said)?.counts).to.deep.equal(storedIn(end.said)?.counts)
      expect(wrong.said).to.equal('the backup is not what was written: its manifest differs')
    })

    it('can be restored by hand, as the guide says', async () => {
      await create('by-hand')
      const own = await mkdtemp(join(tmpdir(), 'svc-by-hand-'))
      const script = `${download(minio, store())}
cat >>rclone.conf <<END
${storeSection('new', minio)}END
${filled(lineOf('tar -xf bucket-1.tar'), { BUCKET: 'by-hand' })}
printf done >"$SAID"
`
      const ended = await play(script, { FOLDER: own })
      await rm(own, { recursive: true, force: true })
      expect(ended.said, ended.log).to.equal('done')
      expect(await keysIn('by-hand')).to.have.members(Object.keys(media))
    })

    it('find an archive that was changed, cut short, or taken away, before anything of it is loaded', async () => {
      const file = 'svc-backups/media/bucket-1.tar.bin'
      const whole = await bytesOf(file)
      const changed = Buffer.from(whole)
      changed.writeUInt8(changed.readUInt8(100) ^ 1, 100)
      for (const Bucket of ['untouched', 'other']) await create(Bucket)
      const differs = 'the backup is not what was written: bucket-1.tar differs'
      for (const [said, bytes] of [
        [differs, changed],
        [differs, whole.subarray(0, whole.length - 20)],
        [differs, whole.subarray(0, 40)],
        [differs, Buffer.alloc(0)],
      ] as const) {
        await writeOver(file, bytes)
        const ended = await restore('untouched other')
        expect({ code: ended.code, said: ended.said }).to.deep.equal({ code: 1, said })
      }
      expect(await keysIn('untouched')).to.deep.equal([])
      await writeOver(file, whole)
      expect((await restore('untouched other')).code).to.equal(0)
    })

    it('fail with a sentence where the bucket is gone, and leave no manifest', async () => {
      const ended = await play(backupScript('bucket'), { BUCKETS: 'gone', PREFIX: prefix })
      expect({ code: ended.code, said: ended.said }, ended.log).to.deep.equal({
        code: 1,
        said: 'the objects of the bucket could not be read',
      })
    })
  })
}
