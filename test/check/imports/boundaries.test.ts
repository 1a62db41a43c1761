/** Each import rule reports the breach that it is about, and accepts code that only looks like it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { boundaries, reaches } from '../../../check/imports/boundaries.ts'
import { findBreaches } from '../../../check/imports/find-breaches.ts'
import { everyFloor, floorsWithModules, sharedModules, topModules } from '../../../check/imports/floors.ts'
import { type Files, project, withSourceTree } from '../source-tree.ts'

const one = 'export const one = 1\n'
const oneType = 'export type One = 1\nexport const one = 1\n'
const takes = (path: string) => `import { one } from '${path}'\nexport const two = one\n`
const takesType = (path: string) => `import type { One } from '${path}'\nexport type Two = One\n`
const builtin = "import { hostname } from 'node:os'\nexport const name = hostname()\n"
const schema = "import { z } from 'zod'\nexport const one = z.string()\nexport type One = z.output<typeof one>\n"
const kubernetes = "import { KubeConfig } from '@kubernetes/client-node'\nexport const one = new KubeConfig()\n"

async function rulesBroken(files: Files): Promise<string[]> {
  const breaches = await withSourceTree(files, findBreaches)
  return [...new Set(breaches.map((breach) => breach.rule))].toSorted()
}

describe('the import rules', function () {
  this.timeout(60_000)

  const breached: [string, Files][] = [
    ['floor-contract', { 'contract/a.ts': takes('../kinds/b.ts'), 'kinds/b.ts': one }],
    ['floor-contract', { 'contract/a.ts': takesType('../kinds/b.ts'), 'kinds/b.ts': oneType }],
    ['floor-durable', { 'durable/a.ts': takes('../cluster/b.ts'), 'cluster/b.ts': one }],
    ['floor-kinds', { 'kinds/a.ts': takes('../cluster/b.ts'), 'cluster/b.ts': one }],
    ['floor-cluster', { 'cluster/a.ts': takes('../records/b.ts'), 'records/b.ts': one }],
    ['floor-outside', { 'outside/a.ts': takes('../cluster/b.ts'), 'cluster/b.ts': one }],
    ['floor-records', { 'records/a.ts': takes('../activities/b.ts'), 'activities/b.ts': one }],
    ['floor-activities', { 'activities/a.ts': takes('../temporal/b.ts'), 'temporal/b.ts': one }],
    ['floor-workflows', { 'workflows/a.ts': takes('../records/b.ts'), 'records/b.ts': one }],
    ['floor-temporal', { 'temporal/a.ts': takes('../api/b.ts'), 'api/b.ts': one }],
    ['floor-api', { 'api/a.ts': takes('../one-machine/index.ts'), 'one-machine/index.ts': one }],
    ['floor-client', { 'client/a.ts': takes('../kinds/b.ts'), 'kinds/b.ts': one }],
    ['floor-deploy', { 'deploy/a.ts': takes('../api/b.ts'), 'api/b.ts': one }],
    ['floor-mcp', { 'mcp/a.ts': takes('../kinds/b.ts'), 'kinds/b.ts': one }],
    ['floor-cli', { 'cli/a.ts': takes('../kinds/b.ts'), 'kinds/b.ts': one }],
    ['floor-dashboard', { 'dashboard/a.ts': takes('../kinds/b.ts'), 'kinds/b.ts': one }],
    ['floor-one-machine', { 'one-machine/a.ts': takes('../api/b.ts'), 'api/b.ts': one }],
    ['floor-check', { 'check/a.ts': takes('../one-machine/index.ts'), 'one-machine/index.ts': one }],
    ['floor-bench', { 'bench/a.ts': takes('../api/b.ts'), 'api/b.ts': one }],
    [
      'every-file-on-a-floor',
      { 'api/a.ts': takes('../attic/b.ts'), 'attic/b.ts': takes('../attic/c.ts'), 'attic/c.ts': one },
    ],
    ['modules-do-not-touch', { 'api/apps/a.ts': takes('../tokens/b.ts'), 'api/tokens/b.ts': one }],
    ['modules-do-not-touch', { 'api/http/a.ts': takes('../tokens/b.ts'), 'api/tokens/b.ts': one }],
    ['modules-do-not-touch', { 'api/context/a.ts': takes('../http/b.ts'), 'api/http/b.ts': one }],
    ['modules-do-not-touch', { 'api/apps/a.ts': takes('../process/b.ts'), 'api/process/b.ts': one }],
    ['modules-do-not-touch', { 'api/http/a.ts': takes('../process/b.ts'), 'api/process/b.ts': one }],
    ['modules-do-not-touch', { 'cli/output/a.ts': takes('../records/b.ts'), 'cli/records/b.ts': one }],
    ['one-machine-by-its-doors', { 'deploy/a.ts': takes('../one-machine/b.ts'), 'one-machine/b.ts': one }],
    ['one-machine-by-its-doors', { 'test/api/a.ts': takes('../../one-machine/b.ts'), 'one-machine/b.ts': one }],
    ['cluster-sees-types-of-kinds', { 'cluster/a.ts': takes('../kinds/b.ts'), 'kinds/b.ts': one }],
    ['workflows-see-activity-types-only', { 'workflows/a.ts': takes('../activities/b.ts'), 'activities/b.ts': one }],
    ['pure-floors', { 'workflows/a.ts': builtin }],
    ['pure-floors', { 'durable/a.ts': builtin }],
    ['pure-floors', { 'kinds/a.ts': builtin }],
    ['pure-floors', { 'contract/a.ts': builtin }],
    ['packages-of-workflows', { 'workflows/a.ts': "import pino from 'pino'\nexport const log = pino()\n" }],
    ['packages-of-durable', { 'durable/a.ts': schema }],
    ['packages-of-kinds', { 'kinds/a.ts': kubernetes }],
    ['packages-of-contract', { 'contract/a.ts': kubernetes }],
    ['api-sees-temporal-client-only', { 'api/a.ts': takes('../temporal/worker.ts'), 'temporal/worker.ts': one }],
    ['no-drawers', { 'kinds/a.ts': takes('./helpers.ts'), 'kinds/helpers.ts': one }],
    ['no-drawers', { 'kinds/a.ts': takes('./shared/b.ts'), 'kinds/shared/b.ts': one }],
    ['no-import-of-test', { 'bench/a.ts': takes('../test/b.ts'), 'test/b.ts': one }],
    [
      'no-circular',
      {
        'kinds/a.ts': "import { b } from './b.ts'\nexport const a = () => b\n",
        'kinds/b.ts': "import { a } from './a.ts'\nexport const b = () => a\n",
      },
    ],
    ['no-unresolved', { 'kinds/a.ts': takes('./gone.ts') }],
    [
      'workflows-load-no-schemas',
      {
        'workflows/a.ts': takes('../kinds/apps/b.ts'),
        'kinds/apps/b.ts': "export { one } from './kind.ts'\n",
        'kinds/apps/kind.ts': schema,
      },
    ],
    [
      'workflows-load-no-meanings',
      {
        'workflows/a.ts': takes('../kinds/apps/b.ts'),
        'kinds/apps/b.ts': "export { one } from '../meta/condition-reasons.ts'\n",
        'kinds/meta/condition-reasons.ts': one,
      },
    ],
    [
      'workflows-load-no-croner',
      {
        'workflows/a.ts': takes('../kinds/apps/b.ts'),
        'kinds/apps/b.ts': "import { Cron } from 'croner'\nexport const one = new Cron('* * * * *')\n",
      },
    ],
    [
      'api-carries-no-worker',
      {
        'api/a.ts': takes('../temporal/client/client.ts'),
        'temporal/client/client.ts': takes('../../activities/b.ts'),
        'activities/b.ts': one,
      },
    ],
    ['clients-stay-light', { 'cli/a.ts': takes('../client/b.ts'), 'client/b.ts': kubernetes }],
  ]
  for (const [rule, files] of breached) {
    it(`${rule} catches ${Object.entries(files)[0]?.join(': ').split('\n')[0]}`, async () => {
      expect(await rulesBroken(files)).to.include(rule)
    })
  }

  it('let through what the house allows', async () => {
    const files: Files = {
      'contract/limits.ts': one,
      'durable/ids.ts': oneType,
      'kinds/meta/resource.ts': oneType,
      'kinds/apps/kind.ts': schema,
      'kinds/apps/state.ts': takesType('./kind.ts') + "export { one } from '../../contract/limits.ts'\n",
      'cluster/client.ts': takesType('../kinds/meta/resource.ts') + "import 'node:fs'\n",
      'records/apps/save.ts': takes('../../kinds/apps/kind.ts') + "import '../../cluster/client.ts'\n",
      'activities/apps/deploy.ts': takes('../../records/apps/save.ts') + oneType,
      'workflows/apps/service.ts':
        takesType('../../activities/apps/deploy.ts') +
        "import '@temporalio/workflow'\nimport '../../kinds/apps/state.ts'\nimport type { One as App } from '../../kinds/apps/kind.ts'\nexport type A = App\n",
      'temporal/client/client.ts': "import '@temporalio/client'\nimport '../../durable/ids.ts'\n",
      'api/apps/deploy.ts':
        "import '../../temporal/client/client.ts'\nimport '../../records/apps/save.ts'\nimport '../http/middleware/errors.ts'\n",
      'api/http/middleware/errors.ts': one,
      'api/process/start.ts': "import '../apps/deploy.ts'\nimport '../http/middleware/errors.ts'\n",
      'cli/main.ts': takes('../contract/limits.ts'),
      'cli/apps/list.ts': takes('../output/table.ts'),
      'cli/output/table.ts': takes('../session/terminal.ts'),
      'cli/session/terminal.ts': one,
      'test/any.test.ts': "import '../workflows/apps/service.ts'\nimport '../api/apps/deploy.ts'\n",
    }
    expect(await withSourceTree(files, findBreaches)).to.deep.equal([])
  })

  it('name every module below or above the others once, on a floor whose modules keep to themselves', () => {
    for (const [floor, modules] of [...Object.entries(sharedModules), ...Object.entries(topModules)]) {
      expect(floorsWithModules).to.include(floor)
      expect(new Set(modules).size, floor).to.equal(modules.length)
      for (const module of modules)
        expect(existsSync(join(project, floor, module)), `${floor}/${module} is not there`).to.equal(true)
    }
    for (const [floor, modules] of Object.entries(topModules))
      for (const module of modules) expect(sharedModules[floor] ?? []).not.to.include(module)
  })

  it('have a case each here', () => {
    const named = new Set(breached.map(([rule]) => rule))
    const rules = [...boundaries.map((rule) => rule.name ?? ''), ...reaches.map((reach) => reach.name)]
    expect(rules.filter((rule) => !named.has(rule))).to.deep.equal([])
  })

  it('say of each what its breach means', () => {
    for (const rule of [...boundaries, ...reaches]) expect(rule.comment, rule.name).to.match(/.{20}/)
  })

  it('find a breach that is put into the project itself, and name the way to it', async () => {
    const seeded: Files = {
      'workflows/seeded.ts': "import 'node:fs'\nimport '../kinds/schema/crd.ts'\n",
      'contract/seeded.ts': "import '../kinds/definitions.ts'\n",
    }
    const breaches = await withSourceTree(
      seeded,
      findBreaches,
      everyFloor.filter((floor) => floor !== 'test' && floor !== 'one-machine'),
    )
    const found = breaches
      .filter((breach) => breach.path[0]?.includes('seeded'))
      .map((breach) => [breach.rule, ...breach.path.slice(0, 2)])
    expect(found).to.deep.include.members([
      ['pure-floors', 'workflows/seeded.ts', 'fs'],
      ['workflows-load-no-schemas', 'workflows/seeded.ts', 'kinds/schema/crd.ts'],
      ['floor-contract', 'contract/seeded.ts', 'kinds/definitions.ts'],
    ])
  })
})
