/** The import rules of the project, each with a name and a sentence that explains a breach. */
import type { DependencyType, IForbiddenRuleType } from 'dependency-cruiser'
import { everyFloor, floors, floorsWithModules, sharedModules, topModules } from './floors.ts'

type Rule = IForbiddenRuleType

const anyOf = (names: readonly string[]) => `(${names.join('|')})`
const valueOnly: { dependencyTypesNot: DependencyType[] } = { dependencyTypesNot: ['type-only'] }
/** Npm packages by the floor that depends on them; type-only imports load no code and are allowed. */
const packagesOf = (floor: string, allowed: readonly string[]): Rule => ({
  name: `packages-of-${floor}`,
  severity: 'error',
  comment: `${floor}/ stays light: of npm packages it may load only ${allowed.join(', ')}.`,
  from: { path: `^${floor}/` },
  to: { path: 'node_modules/', pathNot: `node_modules/${anyOf(allowed)}/`, ...valueOnly },
})

const floorRules: Rule[] = Object.entries(floors).map(([floor, below]) => ({
  name: `floor-${floor}`,
  severity: 'error',
  comment: `${floor}/ may import only ${[floor, ...below].join(', ')}: move what both need a floor down.`,
  from: { path: `^${floor}/` },
  to: { path: `^${anyOf(everyFloor)}/`, pathNot: `^${anyOf([floor, ...below])}/` },
}))

/**
 * A floor's modules import only themselves and the shared modules below them; only its top modules import all others.
 */
function moduleRules(floor: string): Rule[] {
  const shared = sharedModules[floor] ?? []
  const named = [...shared, ...(topModules[floor] ?? [])]
  const others = named.length === 0 ? '[^/]+' : `(?!${anyOf(named)}/)[^/]+`
  const mayImport = (module: string, own: string, below: readonly string[]): Rule => ({
    name: 'modules-do-not-touch',
    severity: 'error',
    comment:
      'A module imports its neighbour or a module above it: what two modules need lies in a shared module below them (check/imports/floors.ts) or on a floor below.',
    from: { path: `^${floor}/(${module})/` },
    to: { path: `^${floor}/[^/]+/`, pathNot: `^${floor}/${anyOf([own, ...below])}/` },
  })
  return [
    mayImport(others, '$1', shared),
    ...shared.map((module, index) => mayImport(module, module, shared.slice(0, index))),
  ]
}

export const boundaries: Rule[] = [
  ...floorRules,
  {
    name: 'every-file-on-a-floor',
    severity: 'error',
    comment: 'A folder that check/imports/floors.ts does not know has no rules: give it a floor there.',
    from: { pathNot: [`^${anyOf(everyFloor)}/`, 'node_modules/'] },
    to: {},
  },
  ...floorsWithModules.flatMap(moduleRules),
  {
    name: 'cluster-sees-types-of-kinds',
    severity: 'error',
    comment: 'Access to Kubernetes knows the shape of our kinds, not their rules: write `import type`.',
    from: { path: '^cluster/' },
    to: { path: '^kinds/', ...valueOnly },
  },
  {
    name: 'workflows-see-activity-types-only',
    severity: 'error',
    comment: 'A workflow calls activities through its proxy, never in its own sandbox: write `import type`.',
    from: { path: '^workflows/' },
    to: { path: '^activities/', ...valueOnly },
  },
  {
    name: 'pure-floors',
    severity: 'error',
    comment: 'Workflows are replayed, and what they share with others is replayed too: no Node built-ins here.',
    from: { path: '^(workflows|durable|kinds|contract)/' },
    to: { dependencyTypes: ['core'], ...valueOnly },
  },
  packagesOf('workflows', ['@temporalio/workflow', '@temporalio/common']),
  packagesOf('durable', ['@temporalio/common']),
  packagesOf('kinds', ['zod', 'croner']),
  packagesOf('contract', ['zod']),
  {
    name: 'api-sees-temporal-client-only',
    severity: 'error',
    comment: 'The api wakes workflows; it never loads the worker or the watch.',
    from: { path: '^api/' },
    to: { path: '^temporal/', pathNot: '^temporal/client/' },
  },
  {
    name: 'one-machine-by-its-doors',
    severity: 'error',
    comment: 'one-machine/ is a package of its own: import its index.ts, or processes/index.ts, which loads quickly.',
    from: { pathNot: '^(one-machine|test/(one-machine|vm))/' },
    to: { path: '^one-machine/', pathNot: '^one-machine/(processes/)?index[.]ts$' },
  },
  {
    name: 'no-drawers',
    severity: 'error',
    comment: 'A drawer collects what has no place: name the file after what it knows.',
    from: {},
    to: { path: '(^|/)(utils?|helpers?|common|misc|shared)(/|[.]ts$)', pathNot: 'node_modules/' },
  },
  {
    name: 'no-import-of-test',
    severity: 'error',
    comment: 'What runs for users never depends on a test; the bench drives pages with the browser of the tests.',
    from: { pathNot: '^(test|bench/pages)/' },
    to: { path: '^test/' },
  },
  {
    name: 'no-circular',
    severity: 'error',
    comment: 'Two files that need each other, by types alone as well, are one file, or miss a third below both.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'no-unresolved',
    severity: 'error',
    comment: 'The import leads nowhere; it must carry the extension and the package must be installed.',
    from: {},
    to: { couldNotResolve: true, ...valueOnly },
  },
]

/** Files that files of `from` must not load, even transitively; type-only imports load no code and do not count. */
export interface Reach {
  name: string
  comment: string
  from: RegExp
  to: RegExp
}

export const reaches: readonly Reach[] = [
  {
    name: 'workflows-load-no-schemas',
    comment:
      'A schema in the workflow bundle costs every worker its start, and validates nothing there: rules beside a kind.ts import its types only.',
    from: /^workflows\//,
    to: /(^kinds\/.*\/kind[.]ts$|node_modules\/zod\/)/,
  },
  {
    name: 'workflows-load-no-meanings',
    comment: 'What a reason means is for operators, not for the workflow bundle: import the types of reasons only.',
    from: /^workflows\//,
    to: /^kinds\/meta\/(condition|event)-reasons[.]ts$/,
  },
  {
    name: 'workflows-load-no-croner',
    comment: 'The times of a schedule are for activities and the api: croner reads the clock and can set timers.',
    from: /^workflows\//,
    to: /node_modules\/croner\//,
  },
  {
    name: 'api-carries-no-worker',
    comment: 'The api process would load every side effect and the worker with it.',
    from: /^api\//,
    to: /(^(activities|workflows)\/|node_modules\/@temporalio\/(worker|activity|workflow)\/)/,
  },
  {
    name: 'clients-stay-light',
    comment: 'The command line starts in a blink; Kubernetes and Temporal libraries do not.',
    from: /^(client|cli|mcp)\//,
    to: /node_modules\/(@kubernetes|@temporalio)\//,
  },
]
