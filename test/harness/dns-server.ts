/** A real name server (CoreDNS) on loopback with one zone, whose file the test changes. */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { Resolver } from 'node:dns/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endChild, freePort, launch } from '../../one-machine/processes/index.ts'
import { eventually } from '../cluster/eventually.ts'
import { testServer } from './servers.ts'

export interface TestDns {
  /** `127.0.0.1:port`, for `SVC_DNS_SERVERS`. */
  readonly server: string
  readonly zone: string
  /** Replaces every record of the zone, e.g. `svc A 127.0.0.1`; resolves when they are served. */
  serve(records: readonly string[]): Promise<void>
  stop(): Promise<void>
}

/** The first build on a machine takes a minute or two. */
export const dnsWithinMs = 600_000
const servedWithinMs = 30_000

export async function startDns(zone: string): Promise<TestDns> {
  const command = await testServer('coredns')
  const folder = await mkdtemp(join(tmpdir(), 'svc-dns-'))
  const port = await freePort(undefined)
  const file = join(folder, 'zone')
  let serial = 0
  const write = async (records: readonly string[]) => {
    serial += 1
    const head = [
      `$ORIGIN ${zone}.`,
      `@ 0 IN SOA ns.${zone}. admin.${zone}. ${serial} 60 60 60 0`,
      '@ 0 IN NS ns',
      'ns 0 IN A 127.0.0.1',
      `serial 0 IN TXT "${serial}"`,
    ]
    const lines = records.map((record) => record.replace(/ (A|AAAA|CNAME) /, ' 0 IN $1 '))
    await writeFile(`${file}.new`, `${[...head, ...lines].join('\n')}\n`)
    await rename(`${file}.new`, file)
  }
  await write([])
  await writeFile(
    join(folder, 'Corefile'),
    `${zone}:${port} {\n  bind 127.0.0.1\n  file ${file} {\n    reload 100ms\n  }\n}\n`,
  )
  const child = launch({
    name: 'coredns',
    command,
    args: ['-conf', join(folder, 'Corefile')],
    logFile: join(folder, 'log'),
  })
  const server = `127.0.0.1:${port}`
  const resolver = new Resolver({ timeout: 500, tries: 1 })
  resolver.setServers([server])
  const served = () =>
    eventually(
      'the zone is served',
      async () => {
        const [[text] = []] = await resolver.resolveTxt(`serial.${zone}`).catch(() => [])
        return text === String(serial)
      },
      servedWithinMs,
    )
  await served()
  return {
    server,
    zone,
    async serve(records) {
      await write(records)
      await served()
    },
    async stop() {
      await endChild(child)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
