/**
 * The scripts of point in time of a mysql on real servers and a real object server: what was written up to a moment
 * comes back, what came two seconds later does not, and no moment is promised whose binary log is not there. MariaDB
 * stands in for MySQL. Each look is the first one of its pod, which has nothing but what is in the store.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3'
import { recoveryScript } from '../../../../kinds/backup-archives/binlog/recovery-script.ts'
import { shipOnce } from '../../../../kinds/backup-archives/binlog/ship-script.ts'
import { drillScript } from '../../../../kinds/backup-archives/drill-script.ts'
import { drilledIn, storedIn } from '../../../../kinds/backup-archives/jobs.ts'
import { backupScript } from '../../../../kinds/backup-archives/scripts.ts'
import { connectS3, type MinioS3 } from '../../../../outside/minio/s3.ts'
import { eventually } from '../../../cluster/eventually.ts'
import { type BackedEngine, drillTools, startBacked } from '../../../harness/backed-engines.ts'
import { playPod, type PodEnd } from '../../../harness/backup-pod.ts'
import { engineWithinMs } from '../../../harness/engines.ts'
import { type Minio, minioWithinMs, startMinio } from '../../../harness/minio.ts'

const bucket = 'kept-binlog'
const key = randomBytes(24).toString('hex')
const path = 'svc-backups/pitr/orders-1a2b3c4d'
const logged = ['--log-bin=binlog', '--server-id=1']

describe('the scripts of point in time of a mysql', function () {
  this.timeout(180_000)
  let minio: Minio
  let s3: MinioS3
  let server: BackedEngine
  let other: BackedEngine
  let tools: Awaited<ReturnType<typeof drillTools>>
  let base = ''
  let first: PodEnd

  before(async function () {
    this.timeout(minioWithinMs + 3 * engineWithinMs)
    minio = await startMinio()
    s3 = connectS3(minio)
    await s3.ask((client) => client.send(new CreateBucketCommand({ Bucket: bucket })))
    server = await startBacked('mysql', logged)
    other = await startBacked('mysql')
    tools = await drillTools('mysql')
    await server.put('before')
    first = await back()
    base = storedIn(first.said)?.base ?? ''
    expect(base, `${first.said}\n${first.log}`).to.match(/^[0-9a-f]{64}$/)
  })
  after(async () => {
    s3?.end()
    await Promise.all([minio?.stop(), server?.stop(), other?.stop(), tools?.stop()])
  })

  const play = (
    on: BackedEngine,
    script: string,
    variables: Record<string, string>,
    folder = path,
    secretKey = minio.secretKey,
  ): Promise<PodEnd> =>
    playPod({
      ...on.pod,
      script,
      store: {
        provider: 'Minio',
        endpoint: minio.endpoint,
        region: 'us-east-1',
        accessKey: minio.accessKey,
        secretKey,
        bucket,
        path: folder,
        key,
      },
      variables: { ...on.pod.variables, ...variables },
    })
  const back = (on = server, folder = path, script = backupScript('mysql', { base: true })) =>
    play(on, script, {}, folder)
  const look = (WAL_KEEP = '128') => play(server, shipOnce, { WAL_KEEP })
  const sql = async (SQL: string, on = server, login: 'ADMIN' | 'LOGIN' = 'ADMIN'): Promise<string> => {
    const script = `MYSQL_PWD="$(cat "$${login}/password")" mariadb --no-defaults --protocol=TCP -h "$SERVER_HOST" -P "$SERVER_PORT" -u "$(cat "$${login}/username")" --batch --skip-column-names -e "$SQL" >"$SAID"`
    const end = await play(on, script, { SQL })
    expect(end.code, end.log).to.equal(0)
    return end.said.trim()
  }
  const filesOf = async (folder = `${path}/binlog/`): Promise<string[]> => {
    const { Contents = [] } = await s3.ask((client) =>
      client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: folder })),
    )
    return Contents.map(({ Key = '' }) => Key.slice(folder.length))
  }
  const stored = async () => (await filesOf()).filter((name) => /^binlog\.\d{6}\.gz\.bin$/.test(name))
  const upto = async (): Promise<string> => {
    const { Body } = await s3.ask((client) =>
      client.send(new GetObjectCommand({ Bucket: bucket, Key: `${path}/binlog/upto` })),
    )
    return (await Body?.transformToString()) ?? ''
  }
  const recover = (POINT: string, BASE = base): Promise<PodEnd> =>
    play(other, recoveryScript, { POINT, BASE, ANSWERS_WITHIN: '60' })
  const drill = (POINT: string, BASE = base): Promise<PodEnd> =>
    playPod({
      script: drillScript('mysql', true),
      store: {
        provider: 'Minio',
        endpoint: minio.endpoint,
        region: 'us-east-1',
        accessKey: minio.accessKey,
        secretKey: minio.secretKey,
        bucket,
        path,
        key,
      },
      ...tools,
      unprivileged: true,
      variables: { ...tools.variables, CHECKSUM: storedIn(first.said)?.checksum ?? '', BASE, POINT },
    })
  const words = () => sql("SELECT GROUP_CONCAT(word ORDER BY word SEPARATOR ' ') FROM shop.seen", other, 'LOGIN')
  const now = () => sql("SELECT DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%dT%H:%i:%sZ')")
  const ship = async (keep?: string) => {
    const end = await look(keep)
    expect(end.code, `${end.said}\n${end.log}`).to.equal(0)
    return end
  }
  const recovered = async (moment: string) => {
    const end = await recover(moment)
    expect({ code: end.code, said: end.said }, end.log).to.deep.equal({ code: 0, said: '{}' })
    return end
  }

  it('prove the copy alone on trial while no binary log is stored, where none is promised', async () => {
    const end = await drill('')
    const counts = { tables: 1, rows: 1 }
    expect(drilledIn(end.said), end.log).to.deep.equal({ counts, replayed: { point: '', counts } })
    expect((await drill('2026-11-24T10:15:00Z')).said).to.equal(
      'the binary log of the backup is not in the object store',
    )
  })

  it('restore what was written up to a moment, with the logins of the new server', async () => {
    const login = server.pod.login?.['username'] ?? ''
    await sql("INSERT INTO shop.kept VALUES ('early')")
    await sql('CREATE DATABASE later; CREATE TABLE later.t (w blob); USE later; INSERT INTO t VALUES (0x00ff0a27)')
    await sql(`CREATE USER stranger IDENTIFIED BY 'x'; /* why */ GRANT SELECT ON shop.* TO stranger`)
    await sql(`ALTER USER '${login}'@'%' IDENTIFIED BY 'another'; FLUSH PRIVILEGES`)
    await sql(`USE shop; CREATE DEFINER='${login}'@'%' PROCEDURE said() SELECT word FROM kept`)
    await sleep(2000)
    const moment = await now()
    await sleep(2000)
    await sql("INSERT INTO shop.kept VALUES ('late')")
    await sql('FLUSH BINARY LOGS')
    await sql("INSERT INTO shop.kept VALUES ('later')")
    await sleep(1000)
    const shipped = await ship()
    const end = await recovered(moment)
    expect(await words()).to.equal('before early')
    expect(await sql('SELECT HEX(w) FROM later.t', other, 'LOGIN'), 'a database that came later').to.equal('00FF0A27')
    expect(await sql('CALL shop.said()', other, 'LOGIN'), 'what was defined by another login').to.include('early')
    expect(await sql("SELECT COUNT(*) FROM mysql.user WHERE User IN ('stranger')", other)).to.equal('0')
    for (const secret of [key, minio.secretKey, ...server.secrets, ...other.secrets])
      expect(`${end.log}${end.said}${first.log}${shipped.log}`).not.to.include(secret)
  })

  it('restore the newest moment that is stored, over what an earlier try has left', async () => {
    await recovered(await upto())
    expect(await words()).to.equal('before early late later')
  })

  it('refuse a moment that is not stored, and another copy, and leave the server as it is', async () => {
    const beyond = new Date(Date.parse(await upto()) + 1000).toISOString()
    expect((await recover(beyond)).said).to.equal('the binary log of the backup ends before that moment')
    expect((await recover(await upto(), base.replaceAll(/./g, '0'))).said).to.equal(
      'the backup is not what was written: base.sql.gz differs',
    )
    expect(await words()).to.equal('before early late later')
  })

  it('prove on trial that the binary log leads to the newest moment that is stored, and not further', async () => {
    const lastPoint = await upto()
    const end = await drill('')
    expect(drilledIn(end.said), end.log).to.deep.equal({
      counts: { tables: 1, rows: 1 },
      replayed: { point: lastPoint, counts: { tables: 2, rows: 5 } },
    })
    for (const secret of [key, minio.secretKey]) expect(`${end.log}${end.said}`).not.to.include(secret)
    const beyond = new Date(Date.parse(lastPoint) + 1000).toISOString()
    expect((await drill(beyond)).said).to.equal('the binary log of the backup ends before that moment')
  })

  it('store each file once, none while nothing is written, and record the moment all the same', async () => {
    const [before, lastPoint] = [await stored(), await upto()]
    await sleep(1100)
    await ship()
    await ship()
    expect(await stored()).to.deep.equal(before)
    expect((await upto()) > lastPoint).to.equal(true)
  })

  it('have the server keep no more of its log than it may', async () => {
    const logs = async () => (await sql('SHOW BINARY LOGS')).split('\n').length
    expect(await logs()).to.be.greaterThan(2)
    await ship('0')
    expect(await logs()).to.equal(1)
  })

  it('replay nothing behind a statement of a later moment', async () => {
    const later = Math.floor(Date.now() / 1000) + 3600
    await sql(`SET TIMESTAMP = ${later}; INSERT INTO shop.kept VALUES ('of another time')`)
    await ship()
    await sql("INSERT INTO shop.kept VALUES ('behind')")
    await sleep(1100)
    await ship()
    await recovered(await upto())
    expect(await words()).to.equal('before early late later')
  })

  it('find a file that is missing, or is another one, also on trial, and load nothing', async () => {
    const [one = '', two = ''] = await stored()
    const at = (name: string) => `${path}/binlog/${name}`
    const copy = (from: string, to: string) =>
      s3.ask((client) =>
        client.send(new CopyObjectCommand({ Bucket: bucket, Key: to, CopySource: `${bucket}/${from}` })),
      )
    await copy(at(two), `${path}/aside`)
    await copy(at(one), at(two))
    const moment = await upto()
    const differs = `the backup is not what was written: ${two.slice(0, -'.bin'.length)} differs`
    expect((await recover(moment)).said).to.equal(differs)
    await s3.ask((client) => client.send(new DeleteObjectCommand({ Bucket: bucket, Key: at(two) })))
    for (const end of [await recover(moment), await drill(moment)])
      expect(end.said, end.log).to.equal('a part of the binary log of the backup is missing')
    expect(await words()).to.equal('before early late later')
    await copy(`${path}/aside`, at(two))
  })

  it('store nothing where the store does not take it, and go on behind it later', async () => {
    const lastPoint = await upto()
    await sql("INSERT INTO shop.kept VALUES ('waited for')")
    const end = await play(server, shipOnce, { WAL_KEEP: '128' }, path, 'wrong')
    expect(end.said).to.equal('the object store did not answer')
    expect(await upto()).to.equal(lastPoint)
    await sleep(1100)
    const before = await stored()
    await ship()
    expect((await stored()).length).to.be.greaterThan(before.length)
  })

  it('record no later moment once the server has purged a file that was not stored', async () => {
    const before = await upto()
    for (const word of ['lost', 'kept']) await sql(`INSERT INTO shop.kept VALUES ('${word}'); FLUSH BINARY LOGS`)
    const logs = async () => (await sql('SHOW BINARY LOGS')).split('\n').map((line) => line.split('\t')[0] ?? '')
    const kept = (await logs()).at(-2) ?? ''
    // It keeps a file for as long as it would need it after a crash.
    await eventually('the first of them is gone', async () => {
      await sql(`PURGE BINARY LOGS TO '${kept}'`)
      return (await logs())[0] === kept
    })
    for (const time of ['once', 'twice'])
      expect((await look()).said, time).to.equal('the server did not keep the binary log: it ends here')
    expect(await upto()).to.equal(before)
  })

  it('back up a server without binary log, or an image without mysqlbinlog, and say so', async () => {
    const without = await back(other, 'svc-backups/pitr/without')
    expect(storedIn(without.said), without.log).to.deep.include({
      base: undefined,
      noLaterMoments: 'the server keeps no binary log',
    })
    const bare = backupScript('mysql', { base: true }).replace(
      /command -v mysqlbinlog.*mariadb-binlog/,
      'command -v no-binlog',
    )
    expect(storedIn((await back(server, 'svc-backups/pitr/bare', bare)).said)).to.deep.include({
      base: undefined,
      noLaterMoments: 'the image has no mysqlbinlog',
    })
    expect(await filesOf('svc-backups/pitr/bare/')).to.deep.equal(
      ['manifest.sha256.bin', 'later.sql.bin', 'shop.sql.bin'].toSorted(),
    )
  })

  it('back up a server that cannot be copied without a copy, and say so', async () => {
    const script = backupScript('mysql', { base: true }).replace('--single-transaction $noting', '--no-such-option')
    const end = await back(server, 'svc-backups/pitr/uncopied', script)
    expect(storedIn(end.said), end.log).to.deep.include({
      base: undefined,
      noLaterMoments: 'the server could not be copied',
    })
  })
  it('say that the server did not answer, where it stops answering after the copy', async () => {
    const whole = backupScript('mysql', { base: true })
    const script = whole.replace('at_moment="$(moment_now)"', () => 'at_moment="$(at=--port=1 moment_now)"')
    expect(script).not.to.equal(whole)
    const end = await back(server, 'svc-backups/pitr/silent', script)
    expect([end.code, end.said], end.log).to.deep.equal([1, 'the server did not answer'])
  })

  it('back up a server that removes its log meanwhile without a copy, and say so', async () => {
    const purge = `ask 'FLUSH BINARY LOGS'; ask "PURGE BINARY LOGS TO '$(ask 'SHOW BINARY LOGS' | tail -n 1 | cut -f 1)'"`
    const whole = backupScript('mysql', { base: true })
    const script = whole.replace('base="$sum"\n', (found) => `${found}${purge}\n`)
    expect(script).not.to.equal(whole)
    const folder = 'svc-backups/pitr/removed'
    const end = await back(server, folder, script)
    const [said, without] = [
      storedIn(end.said),
      storedIn((await back(server, `${folder}-not`, backupScript('mysql'))).said),
    ]
    expect(said, end.log).to.deep.include({
      base: undefined,
      noLaterMoments: 'the server removed its binary log during the backup',
    })
    expect(said?.size, 'without the copy').to.be.closeTo(without?.size ?? 0, 100)
    expect(await filesOf(`${folder}/`)).not.to.include('base.sql.gz.bin')
  })
})
