/**
 * Every file of the project that is made from its sources; `npm run generate` writes them, `npm run check` compares
 * them.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { openapiDocument } from '../../api/platform/openapi-document.ts'
import { helpPagesPath, makeHelpPages } from '../../cli/help-pages.ts'
import { makeCrd } from '../../kinds/schema/crd.ts'
import { definitions } from '../../kinds/definitions.ts'
import { makeLicencePage } from '../packages/licences.ts'
import { chartReadmePath, makeChartReadme } from './chart-values.ts'
import { dashboardRoutesPath, makeDashboardRoutes } from './dashboard-routes.ts'
import { conditionsPath, makeConditionsPage } from './conditions/page.ts'
import { makeLimitsOfPages } from './limits-of-pages.ts'

/** Text of generated files by their path from the top of the project. */
export type Generated = ReadonlyMap<string, string>
export interface Generator {
  name: string
  make(): Promise<Generated> | Generated
}

const header = '# Made from kinds/*/kind.ts by `npm run generate`; edit those.\n'

/** One file per kind, so that `kubectl apply -f crds/` applies all of them. */
function makeCrdFiles(): Generated {
  const files = Object.values(definitions).map((definition): [string, string] => {
    const crd = makeCrd(definition)
    return [
      `crds/${definition.type.plural}.yaml`,
      header + stringify(crd, { lineWidth: 0, aliasDuplicateObjects: false }),
    ]
  })
  return new Map(files)
}

const rolesPath = 'crds/rbac.yaml'
const recordList = /(apiGroups: \[svc\.svc\.dev\]\n( *)resources:\n)(?:\2 {2}- svc\w+\n)+/

/** The kinds that the api may write, in the one generated list of a file that is otherwise written by hand. */
function makeRoles(): Generated {
  const text = readFileSync(join(import.meta.dirname, '../..', rolesPath), 'utf8')
  const names = Object.values(definitions).map(({ type }) => type.plural)
  if (!recordList.test(text)) throw new Error(`${rolesPath} has no list of the records that the api may write`)
  const listed = text.replace(recordList, (_, head: string, indent: string) =>
    [head, ...names.map((name) => `${indent}  - ${name}\n`)].join(''),
  )
  return new Map([[rolesPath, listed]])
}

/** Checked in, so that a change of the API shows in its diff. */
function makeOpenapi(): Generated {
  return new Map([['contract/openapi.json', `${JSON.stringify(openapiDocument(), null, 2)}\n`]])
}

/** The help texts of the command line. */
async function makeHelp(): Promise<Generated> {
  return new Map([[helpPagesPath, await makeHelpPages()]])
}

/** The packages that svc is built on, with their licences, for its distributors. */
function makeLicences(): Generated {
  return new Map([['docs/licences.md', makeLicencePage(join(import.meta.dirname, '../..'))]])
}

/** The page of conditions: reasons, messages and their meanings. */
function makeConditions(): Generated {
  return new Map([[conditionsPath, makeConditionsPage()]])
}

/** A further generated file is one more line here. */
export const generators: readonly Generator[] = [
  { name: 'custom resource definitions', make: makeCrdFiles },
  { name: 'records in the roles', make: makeRoles },
  { name: 'description of the API', make: makeOpenapi },
  { name: 'routes of the dashboard', make: () => new Map([[dashboardRoutesPath, makeDashboardRoutes()]]) },
  { name: 'values of the chart', make: () => new Map([[chartReadmePath, makeChartReadme()]]) },
  { name: 'help of the command line', make: makeHelp },
  { name: 'reasons and messages of conditions', make: makeConditions },
  { name: 'limits on the pages of the reference', make: makeLimitsOfPages },
  { name: 'licences of the packages', make: makeLicences },
]
