/** Reads the imports of a source tree and finds those that break the rules of boundaries.ts. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cruise, type ICruiseResult, type IModule } from 'dependency-cruiser'
import { boundaries, reaches, type Reach } from './boundaries.ts'
import { everyFloor } from './floors.ts'

export interface Breach {
  rule: string
  /** What the breach means and how to fix it. */
  comment: string
  /** The files from the importing to the imported one. */
  path: string[]
}

/** Every breach of the import rules under `root`; files are named relative to it. */
export async function findBreaches(root: string): Promise<Breach[]> {
  const comments = new Map(boundaries.map((rule) => [rule.name, rule.comment ?? '']))
  const result = await readImports(root)
  const direct = result.summary.violations.map((violation): Breach => {
    const way = violation.cycle?.map((step) => step.name) ?? [violation.to]
    return {
      rule: violation.rule.name,
      comment: comments.get(violation.rule.name) ?? '',
      path: [violation.from, ...way],
    }
  })
  const modules = new Map(result.modules.map((module) => [module.source, module]))
  return [...direct, ...reaches.flatMap((reach) => findReached(modules, reach))]
}

async function readImports(root: string): Promise<ICruiseResult> {
  const floors = everyFloor.filter((floor) => existsSync(join(root, floor)))
  const { output } = await cruise(floors, {
    baseDir: root,
    // TypeScript 7 has no compiler interface for the default parser; without a parser, type-only imports look like
    // others.
    parser: 'swc',
    tsPreCompilationDeps: 'specify',
    doNotFollow: { path: 'node_modules' },
    // Packages whose files are reached by other paths than they lie at say so in `exports`.
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
    validate: true,
    ruleSet: { forbidden: boundaries },
  })
  if (typeof output === 'string') throw new Error('dependency-cruiser answered with a text')
  if (output.summary.totalCruised === 0) throw new Error(`dependency-cruiser found no file under ${root}`)
  return output
}

/** The shortest path from each file of `from` to a file that it must not load. */
function findReached(modules: ReadonlyMap<string, IModule>, reach: Reach): Breach[] {
  const starts = [...modules.keys()].filter((source) => reach.from.test(source))
  return starts.flatMap((start) => {
    const way = shortestWay(modules, start, reach.to)
    return way === undefined ? [] : [{ rule: reach.name, comment: reach.comment, path: way }]
  })
}

function shortestWay(modules: ReadonlyMap<string, IModule>, start: string, to: RegExp): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[start, undefined]])
  // A Map keeps the order of insertion and also iterates over entries added on the way, so this is a breadth-first
  // search.
  for (const source of cameFrom.keys()) {
    if (source !== start && to.test(source)) return wayTo(cameFrom, source)
    for (const dependency of modules.get(source)?.dependencies ?? []) {
      if (dependency.dependencyTypes.includes('type-only')) continue
      if (!cameFrom.has(dependency.resolved)) cameFrom.set(dependency.resolved, source)
    }
  }
  return undefined
}

function wayTo(cameFrom: ReadonlyMap<string, string | undefined>, end: string): string[] {
  const way: string[] = []
  for (let at: string | undefined = end; at !== undefined; at = cameFrom.get(at)) way.unshift(at)
  return way
}
