/** The node's own place in the machine's cgroups: made before a start, removed after a stop. */
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NEEDED_V2_CONTROLLERS, cgroupVersion } from './can-have.ts'

const ROOT = '/sys/fs/cgroup'
const REMOVE_TRIES = 100

/**
 * Makes `/<name>` for the kubelet's pods and `/<name>/system` for the node's own processes.
 * Returns the folders of the latter, which the node's first process joins.
 */
export async function makeCgroups(name: string): Promise<string[]> {
  return cgroupVersion() === 2 ? [await makeUnified(name)] : Promise.all((await hierarchies()).map((root) => makeLegacy(root, name)))
}

/** cgroup v1: one folder in every hierarchy; a cpuset takes no process before its cpus and mems are filled in. */
async function makeLegacy(root: string, name: string): Promise<string> {
  const own = join(root, name)
  const system = join(own, 'system')
  await mkdir(system, { recursive: true })
  for (const folder of [own, system]) {
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      if (existsSync(join(folder, file))) await writeFile(join(folder, file), readFileSync(join(root, file)))
    }
  }
  return system
}

/** cgroup v2: controllers are handed down level by level, and only leaves hold processes. */
async function makeUnified(name: string): Promise<string> {
  const own = join(ROOT, name)
  await mkdir(join(own, 'system'), { recursive: true })
  for (const folder of [ROOT, own]) {
    const here = words(join(folder, 'cgroup.controllers'))
    const handedDown = words(join(folder, 'cgroup.subtree_control'))
    for (const controller of here.filter((one) => !handedDown.includes(one))) {
      // Some kernels refuse to hand down one that no pod asks for (rdma, misc); the needed ones are looked for below.
      await writeFile(join(folder, 'cgroup.subtree_control'), `+${controller}`).catch(() => undefined)
    }
    const given = words(join(folder, 'cgroup.subtree_control'))
    const kept = NEEDED_V2_CONTROLLERS.filter((controller) => !given.includes(controller))
    if (kept.length > 0) throw new Error(`${folder} does not hand down the cgroup controllers ${kept.join(', ')}`)
  }
  return join(own, 'system')
}

/** Removes the node's cgroups; the processes in them are gone or going. Returns folders that still hold somebody. */
export async function removeCgroups(name: string): Promise<string[]> {
  const roots = cgroupVersion() === 2 ? [ROOT] : (await readdir(ROOT)).map((hierarchy) => join(ROOT, hierarchy)) // runc makes folders in `unified`, too
  const folders = roots.map((root) => join(root, name)).filter((folder) => existsSync(folder))
  for (let tries = 0; tries < REMOVE_TRIES; tries += 1) {
    const left = []
    for (const folder of folders) if (!(await removeTree(folder))) left.push(folder)
    if (left.length === 0) return []
    await sleep(50)
  }
  return folders.filter((folder) => existsSync(folder))
}

/** The mounted v1 hierarchies; `unified`, the empty v2 tree that systemd keeps beside them, takes part in nothing. */
async function hierarchies(): Promise<string[]> {
  const names = await readdir(ROOT)
  const real = await Promise.all(
    names.map(async (name) => {
      const folder = join(ROOT, name)
      return (await stat(folder)).isDirectory() && existsSync(join(folder, 'cgroup.clone_children')) ? folder : undefined
    }),
  )
  return real.filter((folder) => folder !== undefined)
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
