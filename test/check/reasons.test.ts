/** Compares the table of reasons with the code that writes them and with the page that lists them. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { makeConditionsPage, tabledReasons } from '../../check/generated/conditions/page.ts'
import { type ConditionedKind, conditionReasons } from '../../kinds/meta/condition-reasons.ts'
import { eventReasons } from '../../kinds/meta/event-reasons.ts'
import { type ProvisionedKind, provisionedKinds } from '../../kinds/meta/resource-types.ts'

const root = join(import.meta.dirname, '../..')

/** The folders of provisioned kinds are named as their records: `logicalDatabases` in `logical-databases`. */
const folderOf = (records: string): string => records.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const provisioned = Object.fromEntries(
  Object.entries(provisionedKinds).map(([kind, { records }]) => [kind, `activities/{${folderOf(records)},provision}`]),
) as Record<ProvisionedKind, string>

/** The code that writes the conditions of each kind, including the code that finds the reasons. */
const written: Readonly<Record<ConditionedKind, string>> = {
  ...provisioned,
  project: 'activities/projects',
  app: '{activities/{apps,context},kinds/{apps,pods},workflows/apps}',
  cluster: 'temporal/setup',
  platformConfig: '{activities/platform,kinds/platform,api/settings}',
  haReadiness: 'kinds/ha-readiness',
}

/** Strings in the code of the folders, except in types and comparisons, which write no reason. */
function stringsIn(folders: string): ReadonlySet<string> {
  const source = globSync(`${folders}/**/*.ts`, { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'))
  expect(source, folders).to.have.length.above(0)
  return new Set(
    [...source.join('\n').matchAll(/(?<!\| |[=!]== |type: |[<[])'([A-Z]\w+)'(?! \||[>\]])/g)].map(
      ([, word = '']) => word,
    ),
  )
}

describe('the reasons of conditions', () => {
  for (const [kind, types] of Object.entries(conditionReasons))
    it(`of ${kind} are all written somewhere`, () => {
      const used = stringsIn(written[kind as ConditionedKind])
      const reasons = Object.values<Record<string, object>>(types).flatMap((statuses) =>
        Object.values(statuses).flatMap((meanings) => Object.keys(meanings)),
      )
      expect(reasons.filter((reason) => !used.has(reason))).to.deep.equal([])
    })

  it('of Events are all written somewhere, and are none of a condition', () => {
    const used = stringsIn('{activities,temporal}')
    expect(Object.keys(eventReasons).filter((reason) => !used.has(reason))).to.deep.equal([])
    expect(Object.keys(eventReasons).filter((reason) => tabledReasons.has(reason))).to.deep.equal([])
  })

  it('are those of every row of the page', () => {
    const rows = makeConditionsPage()
      .split('\n')
      .filter((line) => /^\| (?!reason )/.test(line))
    expect(rows).to.have.length.above(100)
    const unknown = rows.filter((row) => {
      const [cell = ''] = row.slice(2).split(' | ')
      if (cell.startsWith('Event ')) return !Object.hasOwn(eventReasons, cell.slice('Event '.length))
      return !cell
        .replace(/ \(True\)$/, '')
        .split(', then ')
        .every((reason) => tabledReasons.has(reason))
    })
    expect(unknown).to.deep.equal([])
  })

  it('each have one sentence', () => {
    const lines = makeConditionsPage()
      .split('\n')
      .filter((line) => line.startsWith('- '))
    expect(lines).to.have.length.above(60)
    expect(lines.filter((line) => !/^- `[A-Z]\w+`( \((True|False)\))?: [A-Z][^.]*\.$/.test(line))).to.deep.equal([])
  })
})
