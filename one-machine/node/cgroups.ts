/**
 * The node's place in the machine's cgroups: the check whether it is possible, its creation before a start, its removal
 * after a stop.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, statfsSync } from 'node:fs'
import { mkdir, readdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { scaledLimit } from '../processes/time-limits.ts'

const ROOT = '/sys/fs/cgroup'
const CGROUP2_MAGIC = 0x63677270
const NEEDED_HIERARCHIES = ['cpu', 'cpuacct', 'cpuset', 'memory', 'devices', 'pids']
const NEEDED_CONTROLLERS = ['cpu', 'memory', 'pids']
/** A kernel may lack these; where the root has one, the kubelet refuses a cgroup that it is not handed down to. */
const OPTIONAL_CONTROLLERS = ['cpuset', 'hugetlb']
const REMOVE_WITHIN_MS = 5_000

type CgroupVersion = 1 | 2

/** 2 where the unified tree is mounted; 1 for a tree per controller, also beside an empty unified one. */
function cgroupVersion(): CgroupVersion {
  return statfsSync(ROOT).type === CGROUP2_MAGIC ? 2 : 1
}

/** One sentence that explains why the node cannot have cgroups here, or undefined; the check really makes one. */
export function whyNoCgroups(root = ROOT, version?: CgroupVersion): string | undefined {
  if (!existsSync(root)) return `no cgroups are mounted at ${root}`
  const unified = (version ?? cgroupVersion()) === 2
  return (
    (unified ? whyNoControllers(root) : whyNoHierarchies(root)) ??
    whyNotAllowed(unified ? [root] : NEEDED_HIERARCHIES.map((name) => join(root, name)))
  )
}

function whyNoHierarchies(root: string): string | undefined {
  const missing = NEEDED_HIERARCHIES.filter((name) => !existsSync(join(root, name, 'cgroup.procs')))
  return missing.length > 0 ? `the cgroup hierarchies ${missing.join(', ')} are not mounted` : undefined
}

/**
 * Inside a container the folder is not the real root (only others have a cgroup.type), and one with processes cannot
 * delegate controllers.
 */
function whyNoControllers(root: string): string | undefined {
  const { missing, kept } = neededOf(root)
  if (missing.length > 0) return `the cgroup controllers ${missing.join(', ')} are not to be had here`
  if (kept.length === 0 || !existsSync(join(root, 'cgroup.type'))) return undefined
  return `this container's cgroup does not hand down ${kept.join(', ')}`
}

/**
 * The cgroups are read-only in a service with ProtectControlGroups=, in most containers, and at the root of a user
 * namespace.
 */
function whyNotAllowed(folders: readonly string[]): string | undefined {
  try {
    for (const folder of folders) {
      const own = join(folder, `svc-try-${process.pid}`)
      mkdirSync(own)
      rmdirSync(own)
    }
    return undefined
  } catch (error) {
    return `root may not make cgroups here (${(error as NodeJS.ErrnoException).code}), as in most containers`
  }
}

/** The needed controllers that are missing in the folder, and all those that it does not delegate to its subfolders. */
function neededOf(folder: string): { missing: string[]; kept: string[] } {
  const available = words(join(folder, 'cgroup.controllers'))
  const delegated = words(join(folder, 'cgroup.subtree_control'))
  const wanted = [...NEEDED_CONTROLLERS, ...OPTIONAL_CONTROLLERS.filter((name) => available.includes(name))]
  return {
    missing: NEEDED_CONTROLLERS.filter((name) => !available.includes(name)),
    kept: wanted.filter((name) => !delegated.includes(name)),
  }
}

/**
 * Makes `/<name>` for the kubelet's pods and `/<name>/system` for the node's own processes.
 * Returns the folders of the latter, which the node's first process joins.
 */
export async function makeCgroups(
  name: string,
  root = ROOT,
  version: CgroupVersion = cgroupVersion(),
): Promise<string[]> {
  return version === 2
    ? [await makeUnified(root, name)]
    : Promise.all(hierarchies(root).map((hierarchy) => makeLegacy(hierarchy, name)))
}

/** cgroup v1: one folder in every hierarchy; a cpuset takes no process before its cpus and mems are filled in. */
async function makeLegacy(hierarchy: string, name: string): Promise<string> {
  const own = join(hierarchy, name)
  const system = join(own, 'system')
  await mkdir(system, { recursive: true })
  for (const folder of [own, system]) {
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      if (existsSync(join(folder, file))) await writeFile(join(folder, file), readFileSync(join(hierarchy, file)))
    }
  }
  return system
}

/** cgroup v2: controllers are delegated level by level, and only leaves hold processes. */
async function makeUnified(root: string, name: string): Promise<string> {
  const own = join(root, name)
  await mkdir(join(own, 'system'), { recursive: true })
  for (const folder of [root, own]) {
    const handedDown = words(join(folder, 'cgroup.subtree_control'))
    for (const controller of words(join(folder, 'cgroup.controllers')).filter((one) => !handedDown.includes(one))) {
      // Some kernels refuse to delegate a controller that no pod requires (rdma, misc); the needed ones are checked
      // below.
      await writeFile(join(folder, 'cgroup.subtree_control'), `+${controller}`).catch(() => undefined)
    }
    const { kept } = neededOf(folder)
    if (kept.length > 0) throw new Error(`${folder} does not hand down the cgroup controllers ${kept.join(', ')}`)
  }
  return join(own, 'system')
}

/** Removes the node's cgroups, whose processes have ended or are ending. Returns folders that still hold some. */
export async function removeCgroups(
  name: string,
  root = ROOT,
  version: CgroupVersion = cgroupVersion(),
): Promise<string[]> {
  // On version 1 every hierarchy: runc makes folders in `unified`, too.
  const roots = version === 2 ? [root] : (await readdir(root)).map((hierarchy) => join(root, hierarchy))
  const folders = roots.map((each) => join(each, name)).filter((folder) => existsSync(folder))
  for (const deadline = Date.now() + scaledLimit(REMOVE_WITHIN_MS); Date.now() < deadline; await sleep(50)) {
    const left = []
    for (const folder of folders) if (!(await removeTree(folder))) left.push(folder)
    if (left.length === 0) return []
  }
  return folders.filter((folder) => existsSync(folder))
}

/** The mounted v1 hierarchies, each once (`cpu` is a link to `cpu,cpuacct`), without the empty v2 tree beside them. */
function hierarchies(root: string): string[] {
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return folders
    .map((entry) => join(root, entry.name))
    .filter((folder) => existsSync(join(folder, 'cgroup.clone_children')))
}

/** Cgroup folders are removed by rmdir alone, deepest first; false while a process is left in one. */
async function removeTree(folder: string): Promise<boolean> {
  try {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) await removeTree(join(folder, entry.name))
    }
    await rmdir(folder)
    return true
  } catch {
    return !existsSync(folder)
  }
}

function words(file: string): string[] {
  return readFileSync(file, 'utf8').trim().split(/\s+/)
}
