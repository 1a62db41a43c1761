/** The ways to the pages: the platform's, and one for each project with how its worst resource is. */
import { Link, type LinkProps } from '@tanstack/react-router'
import { LayoutGrid, ListChecks, Server, Settings, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useRead } from '../data/queries.ts'
import { Shown } from '../ui/read.tsx'
import { Skeleton } from '../ui/notice.tsx'

const rowClass =
  'flex h-8 items-center gap-2 rounded px-2 text-sm text-muted hover:bg-hover hover:text-ink aria-[current=page]:bg-selected aria-[current=page]:font-medium aria-[current=page]:text-ink'

export function Navigation() {
  const projects = useRead('projects.list', {})
  return (
    <nav aria-label="Pages" className="flex flex-col gap-4 p-3">
      <div className="flex flex-col gap-0.5">
        <Row to={{ to: '/', activeOptions: { exact: true } }} icon={LayoutGrid}>
          Overview
        </Row>
        <Row to={{ to: '/cluster' }} icon={Server}>
          Cluster
        </Row>
        <Row to={{ to: '/runs', search: {} }} icon={ListChecks}>
          Runs
        </Row>
        <Row to={{ to: '/settings' }} icon={Settings}>
          Settings
        </Row>
      </div>
      <div>
        <h2 className="px-2 pb-1 text-xs font-medium text-muted">Projects</h2>
        <Shown
          of={projects}
          what="the projects"
          loading={<Skeleton rows={3} height={32} label="Loading the projects" />}
        >
          {({ items }) =>
            items.length === 0 ? (
              <p className="px-2 text-xs text-muted">None yet.</p>
            ) : (
              <ul className="flex flex-col gap-0.5">
                {items.map(({ name, displayName }) => (
                  <li key={name}>
                    <Link to="/projects/$project" params={{ project: name }} search={{}} className={rowClass}>
                      <span className="truncate">{displayName === '' ? name : displayName}</span>
                    </Link>
                  </li>
                ))}
              </ul>
            )
          }
        </Shown>
      </div>
    </nav>
  )
}

function Row({ to, icon: Icon, children }: { to: LinkProps; icon: LucideIcon; children: ReactNode }) {
  return (
    <Link {...to} className={rowClass}>
      <Icon size={16} aria-hidden />
      {children}
    </Link>
  )
}
