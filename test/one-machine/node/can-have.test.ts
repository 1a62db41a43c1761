/** The message for a machine that cannot have a real node: checked in a process of its own that sees such a machine. */
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'

const can = canHaveNode()
const canHave = new URL('../../../one-machine/node/can-have.ts', import.meta.url).href
const ask = `const { canHaveNode } = await import('${canHave}'); console.log(JSON.stringify(canHaveNode()))`

function askAs(command: readonly string[], script = ask): unknown {
  const [program, ...args] = [...command, process.execPath, '--input-type=module', '-e', script]
  return JSON.parse(execFileSync(program, args, { encoding: 'utf8' }))
}

;(can.ok ? describe : describe.skip)('a machine that could have a real node', () => {
  const refused = (why: string | RegExp) => (answer: unknown) => {
    expect(answer).to.include({ ok: false })
    expect((answer as { why: string }).why).to.match(typeof why === 'string' ? new RegExp(`^${why}$`) : why)
  }
  /** As a service with ProtectControlGroups=yes sees it. */
  const readOnly = [
    'unshare',
    '--mount',
    'sh',
    '-c',
    'for d in /sys/fs/cgroup /sys/fs/cgroup/*/; do mountpoint -q "$d" && mount -o remount,bind,ro "$d"; done; exec "$@"',
    '-',
  ]

  it('is possible here', () => expect(askAs(['env'])).to.deep.equal({ ok: true }))

  it('refuses a user without root', () =>
    refused('a real node needs root: start with sudo')(
      askAs(['env'], ask.replace('console', 'process.setuid(65534); console')),
    ))

  it('refuses a kernel that is too old (its version alone is played)', () =>
    refused(/^a real node needs Linux 5\.13 or newer, and this is 2\.6\.\d+/)(
      askAs(['setarch', process.arch === 'x64' ? 'x86_64' : 'aarch64', '--uname-2.6']),
    ))

  it('refuses a root that may only read cgroups', () =>
    refused('root may not make cgroups here \\(EROFS\\), as in most containers')(askAs(readOnly)))

  it('refuses the root of a user namespace', () =>
    refused(/^root may not make (cgroups|namespaces and network links) here \(/)(
      askAs(['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', 'unshare', '--user', '--map-root-user']),
    ))
})
