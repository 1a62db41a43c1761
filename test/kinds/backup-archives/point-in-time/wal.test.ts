/**
 * The scripts of point in time on a real postgres and a real object server: what was committed up to a moment comes
 * back, what came two seconds later does not, and no moment is promised whose WAL is not there.
 */
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { CreateBucketCommand, DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { drillScript } from '../../../../kinds/backup-archives/drill-script.ts'
import { drilledIn, storedIn } from '../../../../kinds/backup-archives/jobs.ts'
import { backupScript } from '../../../../kinds/backup-archives/scripts.ts'
import { baseFile } from '../../../../kinds/backup-archives/wal/base-script.ts'
import { recoveryScript } from '../../../../kinds/backup-archives/wal/recovery-script.ts'
import { shipOnce } from '../../../../kinds/backup-archives/wal/ship-script.ts'
import { freePort } from '../../../../one-machine/processes/index.ts'
import { connectS3, type MinioS3 } from '../../../../outside/minio/s3.ts'
import { eventually } from '../../../cluster/eventually.ts'
import { type BackedEngine, drillTools, startBacked } from '../../../harness/backed-engines.ts'
import { playPod, type PodEnd } from '../../../harness/backup-pod.ts'
import { download, filled, paragraphOf } from '../../../harness/backups-guide.ts'
import { engineWithinMs, nobody } from '../../../harness/engines.ts'
import { type Minio, minioWithinMs, startMinio } from '../../../harness/minio.ts'

const bucket = 'kept-wal'
const key = randomBytes(24).toString('hex')
let path = 'svc-backups/pitr/orders-1a2b3c4d'
let slot = 'svc_backup_20261124101500_1a2b3c4d'

describe('the scripts of point in time', function () {
  this.timeout(180_000)
  let minio: Minio
  let s3: MinioS3
  let server: BackedEngine
  let tools: Awaited<ReturnType<typeof drillTools>>
  let base = ''
  let moment = ''
  let first: PodEnd
  const folders: string[] = []
  const login = { username: 'otters', password: randomBytes(9).toString('hex') }
  const admin = { username: 'postgres', password: randomBytes(9).toString('hex') }

  before(async function () {
    this.timeout(minioWithinMs + 2 * engineWithinMs)
    minio = await startMinio()
    s3 = connectS3(minio)
    await s3.ask((client) => client.send(new CreateBucketCommand({ Bucket: bucket })))
    server = await startBacked('postgres')
    tools = await drillTools('postgres')
    await server.put('before')
    first = await back(slot)
    base = storedIn(first.said)?.base ?? ''
    expect(base, `${first.said}\n${first.log}`).to.match(/^[0-9a-f]{64}$/)
  })
  after(async () => {
    s3?.end()
    await Promise.all([minio?.stop(), server?.stop(), tools?.stop()])
    for (const folder of folders) await rm(folder, { recursive: true, force: true })
  })

  const store = (): Record<string, string> => ({
    provider: 'Minio',
    endpoint: minio.endpoint,
    region: 'us-east-1',
    accessKey: minio.accessKey,
    secretKey: minio.secretKey,
    bucket,
    path,
    key,
  })
  /** With the tools of the server, some of which the client alone does not have. */
  const play = (script: string, variables: Record<string, string>): Promise<PodEnd> =>
    playPod({
      ...server.pod,
      path: [...(server.pod.path ?? []), ...(tools.path ?? [])],
      script,
      store: store(),
      variables: { ...server.pod.variables, ...variables },
    })
  /** As the engine's own user, who may read and write `DATA`. */
  const onVolume = (DATA: string, script: string, more: Record<string, string> = {}): Promise<PodEnd> =>
    playPod({
      script,
      store: {},
      ...(server.pod.admin === undefined ? {} : { admin: server.pod.admin }),
      path: tools.path ?? [],
      ...(tools.env === undefined ? {} : { env: tools.env }),
      unprivileged: true,
      variables: { ...server.pod.variables, DATA, ...more },
    })
  const back = (name: string) => play(backupScript('postgres', { base: true }), { WAL_SLOT: name, WAL_KEEP: '128' })
  const look = () => play(shipOnce, { WAL_SLOT: slot, WAL_STAY: '' })
  const sql = async (text: string): Promise<string> => {
    const end = await play(
      `export PGHOST="$SERVER_HOST" PGPORT="$SERVER_PORT" PGUSER="$(cat "$ADMIN/username")" PGPASSWORD="$(cat "$ADMIN/password")"
psql -XAtq -v ON_ERROR_STOP=1 -d shop -c "$SQL" >"$SAID"`,
      { SQL: text },
    )
    expect(end.code, end.log).to.equal(0)
    return end.said.trim()
  }
  const files = async (): Promise<string[]> => {
    const { Contents = [] } = await s3.ask((client) =>
      client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: `${path}/wal/` })),
    )
    return Contents.map(({ Key = '' }) => Key.slice(`${path}/wal/`.length))
  }
  const upto = async (): Promise<string> => {
    const { Body } = await s3.ask((client) =>
      client.send(new GetObjectCommand({ Bucket: bucket, Key: `${path}/wal/upto` })),
    )
    return (await Body?.transformToString()) ?? ''
  }
  const volume = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-pitr-'))
    folders.push(folder)
    await chmod(folder, 0o755)
    if (process.getuid?.() === 0) await chown(folder, nobody, nobody)
    return folder
  }
  const recover = (DATA: string, POINT: string, BASE = base): Promise<PodEnd> =>
    playPod({
      script: recoveryScript,
      store: store(),
      login,
      admin,
      path: tools.path ?? [],
      ...(tools.env === undefined ? {} : { env: tools.env }),
      unprivileged: true,
      variables: { DATA, POINT, BASE, FORMER: server.pod.login?.['username'] ?? '' },
    })
  const drill = (POINT: string, BASE = base): Promise<PodEnd> =>
    playPod({
      script: drillScript('postgres', true),
      store: store(),
      ...tools,
      unprivileged: true,
      variables: { ...tools.variables, CHECKSUM: storedIn(first.said)?.checksum ?? '', BASE, POINT },
    })
  /** What the login of the new database reads there. */
  const words = async (DATA: string): Promise<string> => {
    const end = await playPod({
      script: `export PGPASSWORD="$(cat "$LOGIN/password")"
pg_ctl -D "$DATA/pgdata" -w -o "-p $PORT -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off" -l "$WORK/log" start >&2 || { cat "$WORK/log" >&2; exit 1; }
psql -XAtq -h 127.0.0.1 -p "$PORT" -U "$(cat "$LOGIN/username")" -d shop -c "SELECT string_agg(word, ' ' ORDER BY word) FROM seen" >"$SAID"
pg_ctl -D "$DATA/pgdata" -m immediate stop >&2`,
      store: {},
      login,
      path: tools.path ?? [],
      ...(tools.env === undefined ? {} : { env: tools.env }),
      unprivileged: true,
      variables: { DATA, PORT: String(await freePort()) },
    })
    expect(end.code, end.log).to.equal(0)
    return end.said.trim()
  }
  /** What a server has that is made by the commands of the guide. */
  const byHand = async (commands: string): Promise<string> => {
    const PORT = String(await freePort())
    const own = `-p ${PORT} -c listen_addresses= -c unix_socket_directories="$FOLDER"`
    const end = await onVolume(
      await volume(),
      `FOLDER="$DATA"
${download(minio, { bucket, path, key })}
${filled(commands, { 'postgres -D data': `postgres -D data ${own} &` })}
server=$!
export PGHOST="$FOLDER" PGUSER="$(cat "$ADMIN/username")" PGPASSWORD="$(cat "$ADMIN/password")"
until [ "$(psql -XAtq -d shop -c 'SELECT pg_is_in_recovery()')" = f ]; do kill -0 $server && sleep 0.1; done
psql -XAtq -d shop -c "SELECT string_agg(word, ' ' ORDER BY word) FROM kept" >"$SAID"
kill -INT $server && wait $server`,
      { PGPORT: PORT },
    )
    expect(end.code, end.log).to.equal(0)
    return end.said.trim()
  }
  const now = async () => (await sql(`SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`)) || ''
  const ship = async () => {
    const end = await look()
    expect(end.code, end.log).to.equal(0)
  }

  it('prove the copy alone on trial while no WAL is stored, where none is promised', async () => {
    const end = await drill('')
    const counts = { tables: 1, rows: 1 }
    expect(drilledIn(end.said), end.log).to.deep.equal({ counts, replayed: { point: '', counts } })
    expect((await drill('2026-11-24T10:15:00Z')).said).to.equal('the WAL of the backup is not in the object store')
  })

  it('restore what was committed up to a moment, with the logins of the new database', async () => {
    await sql(`INSERT INTO kept VALUES ('early')`)
    await sleep(2000)
    moment = await now()
    await sleep(2000)
    await sql(`INSERT INTO kept VALUES ('late')`)
    await sql('SELECT pg_switch_wal()')
    await sql(`INSERT INTO kept VALUES ('later')`)
    await sleep(3000)
    await ship()
    expect((await files()).filter((name) => name.includes('partial'))).to.have.length(1)
    const data = await volume()
    const end = await recover(data, moment)
    expect({ code: end.code, said: end.said }, end.log).to.deep.equal({ code: 0, said: '{}' })
    expect(await words(data)).to.equal('before early')
    for (const secret of [key, minio.secretKey, login.password, admin.password])
      expect(`${end.log}${end.said}${first.log}`).not.to.include(secret)
  })

  it('restore a moment after which nothing was committed, from a segment that was not full', async () => {
    const last = await upto()
    const data = await volume()
    const end = await recover(data, last)
    expect({ code: end.code, said: end.said }, end.log).to.deep.equal({ code: 0, said: '{}' })
    expect(await words(data)).to.equal('before early late later')
    expect((await recover(data, last)).said, 'a second time').to.equal('{}')
  })

  it('are not needed: it can be done by hand, as the guide says', async () => {
    const commands = paragraphOf('mkdir -m 700 data')
    const target = moment.replace('T', ' ').replace('Z', '+00')
    expect(await byHand(filled(commands, { '2026-11-23 16:30:00+00': target }))).to.equal('before early')
  })

  it('refuse a moment that is not stored, and another copy', async () => {
    const later = new Date(Date.parse(await upto()) + 1000).toISOString()
    expect((await recover(await volume(), later)).said).to.equal('the WAL of the backup ends before that moment')
    expect((await recover(await volume(), await upto(), base.replaceAll(/./g, '0'))).said).to.equal(
      'the backup is not what was written: base.tar.gz differs',
    )
  })

  it('prove on trial that the WAL leads to the newest moment that is stored, and not further', async () => {
    const lastPoint = await upto()
    const end = await drill('')
    expect(drilledIn(end.said), end.log).to.deep.equal({
      counts: { tables: 1, rows: 1 },
      replayed: { point: lastPoint, counts: { tables: 1, rows: 4 } },
    })
    for (const secret of [key, minio.secretKey]) expect(`${end.log}${end.said}`).not.to.include(secret)
    const later = new Date(Date.parse(lastPoint) + 1000).toISOString()
    expect((await drill(later)).said).to.equal('the WAL of the backup ends before that moment')
    expect((await drill(lastPoint, base.replaceAll(/./g, '0'))).said).to.equal(
      'the backup is not what was written: base.tar.gz differs',
    )
  })

  it('store each segment once, and free the server of it', async () => {
    const held = () => sql(`SELECT restart_lsn FROM pg_replication_slots WHERE slot_name = '${slot}'`)
    const before = await held()
    await sql('SELECT pg_switch_wal()')
    await ship()
    expect(await held()).not.to.equal(before)
    const kept = await files()
    expect(kept.filter((name) => /^[0-9A-F]{24}\.gz\.bin$/.test(name)).length).to.be.greaterThan(1)
  })

  it('find a gap in the WAL, also on trial, and restore nothing past it', async () => {
    await sql(`INSERT INTO kept VALUES ('after')`)
    await sql('SELECT pg_switch_wal()')
    await sleep(3000)
    await ship()
    const full = (await files()).filter((name) => /^[0-9A-F]{24}\.gz/.test(name))
    const Key = `${path}/wal/${full.at(-2)}`
    await s3.ask((client) => client.send(new DeleteObjectCommand({ Bucket: bucket, Key })))
    const data = await volume()
    expect((await recover(data, await upto())).said).to.equal('a part of the WAL of the backup is missing')
    expect((await drill(await upto())).said).to.equal('a part of the WAL of the backup is missing')
  })

  it('free the server of the slots of older backups, and not of one that still copies', async () => {
    const [over, copying] = ['svc_backup_20261122101500_0a0b0c0d', 'svc_backup_20261123101500_0e0f0a0b']
    for (const name of [over, copying]) await sql(`SELECT pg_create_physical_replication_slot('${name}', true)`)
    const slots = () => sql(`SELECT string_agg(slot_name, ' ' ORDER BY slot_name) FROM pg_replication_slots`)
    const later = `head -c 39 /dev/zero >"$WORK/looks"\n${shipOnce}`
    const end = await play(later, { WAL_SLOT: slot, WAL_STAY: copying })
    expect([end.code, await slots()], end.log).to.deep.equal([0, `${copying} ${slot}`])
    await play(later, { WAL_SLOT: slot, WAL_STAY: '' })
    expect(await slots()).to.equal(slot)
  })

  it('record no later moment once the server dropped the slot', async () => {
    const before = await upto()
    await sql(`SELECT pg_drop_replication_slot('${slot}')`)
    expect((await look()).said).to.equal('the server did not keep the WAL: it ends here')
    expect(await upto()).to.equal(before)
  })

  it('back up a server that cannot be copied without, and leave no slot there', async () => {
    const name = 'svc_backup_20261125101500_5e6f7a8b'
    const end = await play(backupScript('postgres', { base: true }).replaceAll('pg_basebackup', 'false'), {
      WAL_SLOT: name,
      WAL_KEEP: '128',
    })
    expect(storedIn(end.said), end.log).to.deep.include({ base: undefined })
    expect(await sql(`SELECT count(*) FROM pg_replication_slots`)).to.equal('0')
  })

  it('say that the server did not answer, where it stops answering after the copy, and leave no slot there', async () => {
    const script = backupScript('postgres', { base: true })
    const changed = script.replace(`at_moment="$(ask <<'SQL'`, () => `at_moment="$(PGPORT=1; ask <<'SQL'`)
    expect(changed).to.not.equal(script)
    const end = await play(changed, { WAL_SLOT: 'svc_backup_20261125121500_7a8b9c0d', WAL_KEEP: '128' })
    expect([end.code, end.said], end.log).to.deep.equal([1, 'the server did not answer'])
    expect(await sql(`SELECT count(*) FROM pg_replication_slots`)).to.equal('0')
  })

  it('find a copy that was stored otherwise than it was sent, and leave no slot there', async () => {
    const script = backupScript('postgres', { base: true })
    const changed = script.replace(
      `rclone cat sealed:${baseFile}`,
      () => `{ rclone cat sealed:${baseFile}; echo more; }`,
    )
    expect(changed).to.not.equal(script)
    const end = await play(changed, { WAL_SLOT: 'svc_backup_20261125111500_6f7a8b9c', WAL_KEEP: '128' })
    expect([end.code, end.said], end.log).to.deep.equal([1, 'what was stored is not what was sent'])
    expect(await sql(`SELECT count(*) FROM pg_replication_slots`)).to.equal('0')
  })

  describe('of a server that an operator runs', () => {
    // Workers as the operator sets them: a server with fewer of them may not replay its WAL and answer meanwhile.
    const besides =
      '-c max_worker_processes=32 -c ssl=off -c archive_mode=off -c logging_collector=off -c unix_socket_directories='
    let standby = ''
    let port = ''
    after(async () => {
      if (standby !== '') await onVolume(standby, 'pg_ctl -D "$DATA/pgdata" -m immediate stop')
    })

    it('copy a server whose settings the operator alone may change', async () => {
      ;[path, slot] = ['svc-backups/pitr/operated-2b3c4d5e', 'svc_backup_20261126101500_2b3c4d5e']
      ;[standby, port] = [await volume(), String(await freePort())]
      await sql('DROP VIEW seen; DROP TABLE kept')
      await server.put('before')
      const followed = await onVolume(
        standby,
        `export PGPASSWORD="$(cat "$ADMIN/password")"
pg_basebackup -h "$SERVER_HOST" -p "$SERVER_PORT" -U "$(cat "$ADMIN/username")" -D "$DATA/pgdata" -R -X stream -c fast
pg_ctl -D "$DATA/pgdata" -w -l "$DATA/log" -o "-p $PORT -c listen_addresses=127.0.0.1 ${besides}" start`,
        { PORT: port },
      )
      expect(followed.code, followed.log).to.equal(0)
      // What CloudNativePG 1.25 writes besides the settings of initdb (pkg/postgres/configuration.go there).
      const written = `ssl = on
ssl_cert_file = '/controller/certificates/server.crt'
ssl_key_file = '/controller/certificates/server.key'
archive_mode = on
archive_command = '/controller/manager wal-archive %p'
logging_collector = on
log_destination = csvlog
log_directory = '/controller/log'
unix_socket_directories = '/controller/run'
wal_level = logical
max_worker_processes = 32
cnpg.config_sha256 = 'a'`
      for (const [text, to] of [
        [written, '>custom.conf'],
        [`restore_command = '/controller/manager wal-restore %f %p'`, '>override.conf'],
        [`include 'custom.conf'\ninclude 'override.conf'`, '>>postgresql.conf'],
      ] as const) {
        const coded = Buffer.from(text).toString('base64')
        await sql(`COPY (SELECT '${coded}') TO PROGRAM 'base64 -d ${to}'`)
      }
      await sql(`COPY (SELECT '') TO PROGRAM 'chmod 400 postgresql.auto.conf'`)
      first = await back(slot)
      base = storedIn(first.said)?.base ?? ''
      expect(base, `${first.said}\n${first.log}`).to.match(/^[0-9a-f]{64}$/)
    })

    it('restore what was committed before and after a failover, under the settings of a first start', async () => {
      const elsewhere = (script: string, more: Record<string, string> = {}) =>
        play(script, { SERVER_PORT: port, WAL_SLOT: slot, WAL_STAY: '', ...more })
      const there = async (SQL: string) => {
        const end = await elsewhere(
          `PGPASSWORD="$(cat "$ADMIN/password")" psql -XAtq -v ON_ERROR_STOP=1 -h "$SERVER_HOST" -p "$SERVER_PORT" -U "$(cat "$ADMIN/username")" -d shop -c "$SQL" >"$SAID"`,
          { SQL },
        )
        expect(end.code, end.log).to.equal(0)
        return end.said.trim()
      }
      // As the operator does on each of its standbys.
      await there(`SELECT pg_create_physical_replication_slot('${slot}', true)`)
      await sql(`INSERT INTO kept VALUES ('early')`)
      await sql('SELECT pg_switch_wal()')
      await ship()
      const written = await sql(`INSERT INTO kept VALUES ('late') RETURNING pg_current_wal_lsn()`)
      await eventually('the standby has it', async () => {
        return (await there(`SELECT pg_last_wal_replay_lsn() > '${written}' AND count(*) = 3 FROM kept`)) === 't'
      })
      await server.stop()
      expect((await onVolume(standby, 'pg_ctl -D "$DATA/pgdata" -w promote')).code).to.equal(0)
      await there(`INSERT INTO kept VALUES ('later')`)
      await sleep(3000)
      const shipped = await elsewhere(shipOnce)
      expect(shipped.code, `${shipped.said}\n${shipped.log}`).to.equal(0)
      expect(await files()).to.include('00000002.history.gz.bin')
      const data = await volume()
      const end = await recover(data, await upto())
      expect({ code: end.code, said: end.said }, end.log).to.deep.equal({ code: 0, said: '{}' })
      expect(await words(data)).to.equal('before early late later')
      const tried = await drill('')
      expect(drilledIn(tried.said)?.replayed?.counts, tried.log).to.deep.equal({ tables: 1, rows: 4 })
    })

    it('are not needed: it can be done by hand, as the guide says', async () => {
      const [unpacked = '', ...others] = paragraphOf('mkdir -m 700 data').split('\n')
      const commands = [unpacked, paragraphOf("sed -i '/^include /d'"), ...others]
      const wanted = commands.filter((line) => !line.startsWith('recovery_target_time'))
      expect(await byHand(wanted.join('\n'))).to.equal('before early late later')
    })
  })
})
