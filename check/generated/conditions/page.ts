/**
 * `docs/conditions.md`: every reason with its meaning, from the tables of the kinds, and every message with the test
 * that shows it, from the files beside this one.
 */
import { conditionReasons } from '../../../kinds/meta/condition-reasons.ts'
import { eventReasons } from '../../../kinds/meta/event-reasons.ts'
import { type ResourceTypeName, resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { backups } from './backups.ts'
import { databases } from './databases.ts'
import { logicalDatabases } from './logical-databases.ts'
import { objectStores } from './object-stores.ts'
import { dashboardDomain, dnsProvider, platform } from './platform.ts'
import { cloudConnections, provisioned } from './provisioned.ts'
import { remoteBuckets } from './remote-buckets.ts'
import type { Section } from './section.ts'

export const conditionsPath = 'docs/conditions.md'

/** In the order of the page. */
const sections: readonly Section<string>[] = [
  ...provisioned,
  ...logicalDatabases,
  ...platform,
  ...dashboardDomain,
  ...dnsProvider,
  ...databases,
  ...backups,
  ...objectStores,
  ...remoteBuckets,
  ...cloudConnections,
]

type Meanings = Readonly<Record<string, string>>
type Statuses = Readonly<Record<'True' | 'False', Meanings>>

interface Tabled {
  kind: ResourceTypeName
  type: string
  status: 'True' | 'False'
  meanings: Meanings
}

/** The table of reasons, one entry for each status of each condition. */
const tabled: readonly Tabled[] = Object.entries<Readonly<Record<string, Statuses>>>(conditionReasons).flatMap(
  ([kind, types]) =>
    Object.entries(types).flatMap(([type, { True, False }]): Tabled[] => [
      { kind: kind as ResourceTypeName, type, status: 'True', meanings: True },
      { kind: kind as ResourceTypeName, type, status: 'False', meanings: False },
    ]),
)

/** Every reason that a condition can have. */
export const tabledReasons: ReadonlySet<string> = new Set(tabled.flatMap(({ meanings }) => Object.keys(meanings)))

export function makeConditionsPage(): string {
  const paragraphs = [
    '# What conditions say, and the test that shows it',
    'Made by `npm run generate` from `kinds/meta/condition-reasons.ts`, `kinds/meta/event-reasons.ts` and `check/generated/conditions/`; edit those.',
    '## Every reason and its meaning',
    ...Object.entries(
      Object.groupBy(tabled, ({ kind, type }) => `### ${type} of \`${resourceTypes[kind].kind}\``),
    ).flatMap(([heading, entries = []]) => [
      heading,
      entries.map(({ status, meanings }) => listed(meanings, status)).join(''),
    ]),
    '### Events beside those of conditions',
    listed(eventReasons),
    ...sections.flatMap(({ heading, intro, rows }) => [
      heading,
      ...(intro === undefined ? [] : [intro]),
      ...(rows.length === 0 ? [] : [tableOf(rows)]),
    ]),
  ]
  return `${paragraphs.map((paragraph) => paragraph.trimEnd()).join('\n\n')}\n`
}

const listed = (meanings: Meanings, status?: string): string =>
  Object.entries(meanings)
    .map(([reason, meaning]) => `- \`${reason}\`${status === undefined ? '' : ` (${status})`}: ${meaning}\n`)
    .join('')

function tableOf(rows: Section<string>['rows']): string {
  const lines = rows.map(([reason, message, test]) => `| ${withStatus(reason)} | ${message} | ${test} |`)
  return ['| reason | message | shown by |', '|---|---|---|', ...lines].join('\n')
}

/** The status False is left out. */
const withStatus = (reason: string): string =>
  tabled.some(({ status, meanings }) => status === 'True' && Object.hasOwn(meanings, reason))
    ? `${reason} (True)`
    : reason
