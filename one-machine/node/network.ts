/** The private addresses of one node: a free 10.x.0.0/16, chosen once and kept with the node's state. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'
import { findCommand } from '../debian/packages.ts'
import { writeWhole } from '../processes/write-whole.ts'

const run = promisify(execFile)
const FIRST_BLOCK = 64
const BLOCKS = 64
const routeList = z.array(z.object({ dst: z.string(), dev: z.string().optional() }))
const saved = z.object({ block: z.number().int().min(0).max(255) })

export interface NodeNetwork {
  /**
   * Short name of this stack, part of the names of link and cgroup, so that two stacks on one machine do not collide.
   */
  name: string
  block: string
  hostAddress: string
  nodeAddress: string
  /** The range of slirp4netns, including its DNS forwarder. */
  egressRange: string
  egressDns: string
  podRange: string
  serviceRange: string
  apiServiceAddress: string
  dnsAddress: string
  /** The address of the interceptor of services that sleep, where it runs. */
  interceptorAddress: string
}

/** `svc-` and six digits of the folder's hash: fits the 15 characters of a link's name. */
export function nodeName(nodeDir: string): string {
  return `svc-${createHash('sha256').update(nodeDir).digest('hex').slice(0, 6)}`
}

/** All addresses within 10.`block`.0.0/16. */
export function networkOf(name: string, block: number): NodeNetwork {
  const at = (rest: string): string => `10.${block}.${rest}`
  return {
    name,
    block: at('0.0/16'),
    hostAddress: at('0.1'),
    nodeAddress: at('0.2'),
    egressRange: at('1.0/24'),
    egressDns: at('1.3'),
    podRange: at('16.0/20'),
    serviceRange: at('128.0/17'),
    apiServiceAddress: at('128.1'),
    dnsAddress: at('128.10'),
    interceptorAddress: at('128.11'),
  }
}

/**
 * The network of the node in `nodeDir`: its previous one (certificates and Services contain its addresses), else a free
 * one. Throws when another network has taken the previous one meanwhile.
 */
export async function chooseNetwork(nodeDir: string): Promise<NodeNetwork> {
  const name = nodeName(nodeDir)
  const taken = await takenRanges(name)
  const file = join(nodeDir, 'network.json')
  const kept = await readFile(file, 'utf8').catch(() => undefined)
  if (kept !== undefined) {
    const network = networkOf(name, saved.parse(JSON.parse(kept)).block)
    const rival = taken.find((range) => overlaps(range, network.block))
    if (rival !== undefined)
      throw new Error(
        `this node's addresses ${network.block} are now used by another route (${rival}): remove that, or start again with --reset`,
      )
    return network
  }
  const first = Number.parseInt(name.slice(4), 16)
  for (let step = 0; step < BLOCKS; step += 1) {
    const block = FIRST_BLOCK + ((first + step) % BLOCKS)
    const network = networkOf(name, block)
    if (taken.some((range) => overlaps(range, network.block))) continue
    writeWhole(file, JSON.stringify({ block }))
    return network
  }
  throw new Error('no free range of private addresses between 10.64.0.0/16 and 10.127.0.0/16 is left')
}

/**
 * Every range that a route or a nameserver of this machine uses; routes over our own link are leftovers and do not
 * count.
 */
async function takenRanges(ownLink: string): Promise<string[]> {
  const { stdout } = await run(findCommand('ip') ?? 'ip', ['-json', '-4', 'route', 'show', 'table', 'all'])
  const routes = routeList.parse(JSON.parse(stdout)).filter((route) => route.dev !== ownLink && route.dst !== 'default')
  const resolver = await readFile('/etc/resolv.conf', 'utf8').catch(() => '')
  const nameservers = [...resolver.matchAll(/^nameserver\s+([\d.]+)\s*$/gm)].map((match) => match[1] ?? '')
  return [...routes.map((route) => route.dst), ...nameservers]
}

/** Whether two IPv4 ranges (`a.b.c.d/n` or one address) share an address. */
export function overlaps(one: string, other: string): boolean {
  const [a, b] = [parseRange(one), parseRange(other)]
  const bits = Math.min(a.bits, b.bits)
  const size = 2 ** (32 - bits)
  return Math.floor(a.start / size) === Math.floor(b.start / size)
}

function parseRange(range: string): { start: number; bits: number } {
  const [address = '', bits = '32'] = range.split('/')
  return { start: address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0), bits: Number(bits) }
}
