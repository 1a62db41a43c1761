/** A service: its state in one sentence, what is pending, and a tab for each subject. */
import { Link, lazyRouteComponent, useParams } from '@tanstack/react-router'
import { Suspense, type ReactNode } from 'react'
import { sentenceOf } from '../data/api.ts'
import { useRead } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { CopyButton } from '../ui/copy.tsx'
import { Empty, Notice, Skeleton } from '../ui/notice.tsx'
import { PageHead, Tabs } from '../ui/panel.tsx'
import { Gone } from '../ui/gone.tsx'
import { Shown } from '../ui/read.tsx'
import { titleOf } from '../ui/resources.tsx'
import { StateBadge } from '../ui/state.tsx'
import { Since } from '../ui/time.tsx'
import { useActions } from './actions.tsx'
import { Pending } from './deployments/pending.tsx'
import { stateSentence, stateSince } from './sentence.ts'
import type { ServiceProps } from './service-props.ts'
import { Summary } from './summary.tsx'

const Deployments = lazyRouteComponent(() => import('./deployments/deployments.tsx'), 'Deployments')
const Logs = lazyRouteComponent(() => import('./copies/logs.tsx'), 'Logs')
const Terminal = lazyRouteComponent(() => import('./copies/terminal.tsx'), 'Terminal')
const Metrics = lazyRouteComponent(() => import('./copies/metrics.tsx'), 'Metrics')
const Variables = lazyRouteComponent(() => import('./variables/variables.tsx'), 'Variables')
const Settings = lazyRouteComponent(() => import('./settings.tsx'), 'Settings')
const Scaling = lazyRouteComponent(() => import('./copies/scaling.tsx'), 'Scaling')
const FunctionTab = lazyRouteComponent(() => import('./functions/function.tsx'), 'FunctionTab')
const Danger = lazyRouteComponent(() => import('./danger.tsx'), 'Danger')

const tabs: readonly (readonly [tab: string, label: string, show: (props: ServiceProps) => ReactNode])[] = [
  ['', 'Now', (props) => <Summary {...props} />],
  ['deployments', 'Deployments', (props) => <Deployments {...props} />],
  ['logs', 'Logs', (props) => <Logs {...props} />],
  ['terminal', 'Terminal', (props) => <Terminal {...props} />],
  ['function', 'Calls and schedules', (props) => <FunctionTab {...props} />],
  ['metrics', 'Metrics', (props) => <Metrics {...props} />],
  ['variables', 'Variables', (props) => <Variables {...props} />],
  ['settings', 'Settings', (props) => <Settings {...props} />],
  ['scaling', 'Scaling and network', (props) => <Scaling {...props} />],
  ['danger', 'Danger zone', (props) => <Danger {...props} />],
]

export function ServicePage() {
  const { app = '', tab = '' } = useParams({ strict: false })
  const detail = useRead('apps.get', { app })
  return (
    <Shown
      of={detail}
      what="the service"
      loading={<Skeleton rows={6} height={44} label="Loading the service" />}
      gone={<Gone what="service" name={app} />}
    >
      {(data) => <Service app={app} tab={tab} detail={data} />}
    </Shown>
  )
}

function Service({ app, tab, detail }: ServiceProps & { tab: string }) {
  const { resource } = detail
  const { canMutate } = useMe()
  const status = useRead('apps.status', { app })
  const project = useRead('projects.get', { project: resource.project })
  const state = status.data?.sleeping === true && resource.state === 'ready' ? 'sleeping' : resource.state
  const own = tabs.filter(([each]) => each !== 'function' || resource.details['source'] === 'function')
  const shown = own.find(([each]) => each === tab)
  const { buttons, failed } = useActions(app, resource, status.data)
  return (
    <div className="flex flex-col gap-5">
      <PageHead
        title={titleOf(resource)}
        badge={<StateBadge state={state} />}
        lead={
          <span className="flex flex-wrap items-center gap-x-2">
            <Link
              to="/projects/$project"
              params={{ project: resource.project }}
              search={{ environment: resource.environment }}
              className="text-accent hover:underline"
            >
              {project.data === undefined ? resource.project : titleOf(project.data.resource)} / {resource.environment}
            </Link>
            {resource.url !== '' && (
              <span className="inline-flex items-center gap-1">
                <a href={resource.url} rel="noreferrer" target="_blank" className="text-accent hover:underline">
                  {resource.url}
                </a>
                <CopyButton text={resource.url} what="the address" />
              </span>
            )}
          </span>
        }
        actions={buttons}
      />
      {failed !== null && <Notice kind="failed">{sentenceOf(failed)}</Notice>}
      <Shown of={status} what="the state" loading={<span className="shimmer inline-block h-4 w-72" />} gone={null}>
        {(seen) => (
          <p className="text-sm" data-testid="sentence">
            {stateSentence(seen)} <Since at={stateSince(resource, detail.status)} />
          </p>
        )}
      </Shown>
      {resource.pendingChanges > 0 && canMutate && <Pending app={app} />}
      <Tabs
        label="Sides of the service"
        tabs={own.map(([each, label]) => ({
          label,
          to:
            each === ''
              ? { to: '/services/$app', params: { app }, activeOptions: { exact: true } }
              : { to: '/services/$app/$tab', params: { app, tab: each } },
        }))}
      />
      <Suspense fallback={<Skeleton rows={5} />}>
        {shown === undefined ? <Empty title="No such tab">The link may be old.</Empty> : shown[2]({ app, detail })}
      </Suspense>
    </div>
  )
}
