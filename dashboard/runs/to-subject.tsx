/** The way from a run to the page of what it is about. */
import { Link, type LinkProps } from '@tanstack/react-router'
import { useRead } from '../data/queries.ts'
import { buttonClass } from '../ui/button.tsx'
import { kinds } from '../ui/resources.tsx'
import type { Run } from './outcome.tsx'
import { serviceOf, subjectOf, type Subject } from './subject.ts'

const sections = { clouds: 'cloud connections', domain: 'domain', githost: 'git host' } as const
const backedKinds = { LogicalDatabase: 'logical-database', ObjectStore: 'object-store' } as const

export function ToSubject({ run }: { run: Run }) {
  const subject = subjectOf(run)
  if (subject === undefined) return null
  if (subject.of === 'build' && run.service !== undefined) return <Way to={{ of: 'app', name: run.service }} />
  if (subject.of === 'build') return <ToBuilt build={subject.name} project={run.project} />
  if (subject.of === 'backup') return <ToBackedUp archive={subject.name} />
  return <Way to={subject} />
}

type Shown = Exclude<Subject, { of: 'backup' } | { of: 'build' }>

function Way({ to }: { to: Shown }) {
  const [words, link] = wayTo(to)
  return (
    <Link {...link} className={buttonClass()}>
      To the {words}
    </Link>
  )
}

function wayTo(subject: Shown): readonly [words: string, link: LinkProps] {
  if (subject.of === 'settings')
    return [sections[subject.section], { to: '/settings/$section', params: { section: subject.section } }]
  if (subject.of === 'pull-requests') {
    const { project } = subject
    return ['pull requests', { to: '/projects/$project/settings', params: { project }, hash: 'pull-requests' }]
  }
  const { word, link } = kinds[subject.of]
  return [word.toLowerCase(), link(subject.name)]
}

/** Nothing where the service was deleted. */
function ToBuilt({ build, project }: { build: string; project: string }) {
  const services = useRead('apps.list', { project }, { enabled: project !== '' }).data?.items ?? []
  const app = serviceOf(
    build,
    services.map(({ name }) => name),
  )
  return app === undefined ? null : <Way to={{ of: 'app', name: app }} />
}

/** Nothing where the backup was deleted. */
function ToBackedUp({ archive }: { archive: string }) {
  const { data } = useRead('databases.get-archive', { archive })
  if (data === undefined) return null
  const { database, databaseKind } = data
  return <Way to={{ of: databaseKind === undefined ? 'database' : backedKinds[databaseKind], name: database }} />
}
