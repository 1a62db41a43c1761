/** The lines of all services of an environment together, each with the service that wrote it. */
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { View } from '../../contract/operations.ts'
import { useRead } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { Fixed, Followed, linesAtOnce, LogChoice, NotForViewers, type Filter } from '../logs/view.tsx'
import { buttonClass } from '../ui/button.tsx'
import { inputClass } from '../ui/field.tsx'
import { Empty } from '../ui/notice.tsx'
import { PageHead, Tabs } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { titleOf, type Summary } from '../ui/resources.tsx'
import { chosenEnvironment, environmentsOf, ShownProject } from './shown-project.tsx'

const from = '/projects/$project/logs'

export function ProjectLogsPage() {
  const { project: name } = useParams({ from })
  return <ShownProject name={name}>{(data) => <ProjectLogs data={data} />}</ShownProject>
}

function ProjectLogs({ data: { resource } }: { data: View<'projects.get'> }) {
  const { role } = useMe()
  const environments = environmentsOf(resource)
  const wanted = useSearch({ from }).environment
  const environment = chosenEnvironment(resource, wanted)
  const params = { project: resource.name }
  return (
    <div className="flex flex-col gap-5">
      <PageHead
        title={`Logs of ${titleOf(resource)}`}
        lead={<span className="font-mono text-xs">{resource.name}</span>}
        actions={
          <Link to="/projects/$project" params={params} search={{ environment }} className={buttonClass()}>
            To the project
          </Link>
        }
      />
      {role !== 'admin' ? (
        <NotForViewers />
      ) : (
        <>
          <Tabs
            label="Environments"
            tabs={environments.map((each) => ({
              label: each,
              to: { to: from, params, search: { environment: each }, activeOptions: { includeSearch: true } },
            }))}
          />
          <OfEnvironment project={resource.name} environment={environment} />
        </>
      )}
    </div>
  )
}

interface Place {
  readonly project: string
  readonly environment: string
}

function OfEnvironment({ project, environment }: Place) {
  const { service = '' } = useSearch({ from })
  const apps = useRead('apps.list', { project, environment })
  const place = { project, environment, service }
  return (
    <LogChoice more={<ServiceChoice {...place} apps={apps.data?.items ?? []} />}>
      {(mode, filter) => (
        <Shown of={apps} what="the services">
          {({ items }) =>
            items.length === 0 ? (
              <NoServices project={project} environment={environment} />
            ) : mode === 'live' ? (
              <Followed
                key={`${environment}/${service}`}
                id="projects.logs-stream"
                params={place}
                filter={filter}
                empty="The copies have written nothing, or none runs. New lines appear here, of services made later, too."
                services
              />
            ) : mode === 'previous' ? (
              <Previous {...place} filter={filter} />
            ) : (
              <History {...place} filter={filter} />
            )
          }
        </Shown>
      )}
    </LogChoice>
  )
}

function NoServices({ project, environment }: Place) {
  return (
    <Empty
      title={`No services in ${environment} yet`}
      action={
        <Link
          to="/projects/$project/create"
          params={{ project }}
          search={{ environment }}
          className={buttonClass('primary')}
        >
          Create a service
        </Link>
      }
    >
      What the copies of services write appears here.
    </Empty>
  )
}

function ServiceChoice({
  environment,
  service,
  apps,
}: Place & { readonly service: string; readonly apps: readonly Summary[] }) {
  const navigate = useNavigate({ from })
  const choose = (wanted: string) =>
    void navigate({ search: { environment, ...(wanted === '' ? {} : { service: wanted }) }, replace: true })
  return (
    <>
      <select
        aria-label="Service"
        className={`${inputClass} h-8 w-auto! max-w-56`}
        value={service}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="">every service</option>
        {/* A link may name one that was deleted. */}
        {service !== '' && !apps.some(({ name }) => name === service) && <option>{service}</option>}
        {apps.map((app) => (
          <option key={app.name} value={app.name}>
            {titleOf(app)}
          </option>
        ))}
      </select>
      {service !== '' && (
        <Link to="/services/$app" params={{ app: service }} className={buttonClass('quiet', true)}>
          To the service
        </Link>
      )}
    </>
  )
}

type OfPlace = Place & { service: string; filter: Filter }

function Previous({ filter, ...place }: OfPlace) {
  const logs = useRead('projects.logs', { ...place, tail: linesAtOnce, previous: true })
  return (
    <Shown of={logs} what="the lines">
      {({ lines, note }) => (
        <Fixed lines={lines} filter={filter} note={note} empty="No copy crashed, or its lines are gone." services />
      )}
    </Shown>
  )
}

function History({ filter, ...place }: OfPlace) {
  const history = useRead('projects.logs-history', { ...place, limit: linesAtOnce })
  return (
    <Shown of={history} what="the history">
      {({ available, message = '', lines }) =>
        available ? (
          <Fixed lines={lines} filter={filter} empty="Nothing was written within a day." services />
        ) : (
          <Empty title="No history">{message}</Empty>
        )
      }
    </Shown>
  )
}
