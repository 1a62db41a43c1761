/**
 * Making something in an environment: a service from an image or a repository, a function, a database, a logical
 * database, a bucket, a template.
 */
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { defined } from '../../contract/defined.ts'
import { useMe } from '../data/session.ts'
import { buttonClass } from '../ui/button.tsx'
import { Choices } from '../ui/choices.tsx'
import { Empty } from '../ui/notice.tsx'
import { PageHead, Panel } from '../ui/panel.tsx'
import { titleOf, type Summary } from '../ui/resources.tsx'
import {
  BucketForm,
  ConnectForm,
  DatabaseForm,
  FunctionForm,
  LogicalDatabaseForm,
  ServiceForm,
} from './create-forms.tsx'
import { RepositoryForm } from './repository-form.tsx'
import { chosenEnvironment, environmentsOf, ShownProject } from './shown-project.tsx'
import { Templates } from './templates.tsx'

const forms = {
  Service: ServiceForm,
  'Service from git': RepositoryForm,
  Function: FunctionForm,
  Database: DatabaseForm,
  'Database elsewhere': ConnectForm,
  'Logical database': LogicalDatabaseForm,
  Bucket: BucketForm,
  Template: Templates,
} as const
type Form = keyof typeof forms
const formNames = Object.keys(forms) as Form[] // the keys of a constant

export function CreatePage() {
  const { canMutate } = useMe()
  const { project: name } = useParams({ from: '/projects/$project/create' })
  // In the address, so that a form with something typed asks before another one takes its place.
  const search = useSearch({ from: '/projects/$project/create' })
  const { environment: wanted } = search
  const form = formNames.find((each) => each === search.form) ?? 'Service'
  const navigate = useNavigate({ from: '/projects/$project/create' })
  const choose = (chosen: Form) =>
    void navigate({ search: { ...search, form: chosen }, replace: true, resetScroll: false })
  const Made = forms[form]
  return (
    <ShownProject name={name}>
      {({ resource }) => {
        if (wanted !== undefined && !environmentsOf(resource).includes(wanted))
          return <NoSuchEnvironment project={resource} wanted={wanted} form={search.form} />
        const environment = chosenEnvironment(resource, wanted)
        const place = { project: name, environment }
        return (
          <div className="flex max-w-3xl flex-col gap-5">
            <PageHead
              title="Create"
              lead={`in ${titleOf(resource)} / ${environment}`}
              actions={
                <Link
                  to="/projects/$project"
                  params={{ project: name }}
                  search={{ environment }}
                  className={buttonClass()}
                >
                  Back
                </Link>
              }
            />
            {!canMutate ? (
              <Empty title="Not for your role">Only administrators create resources.</Empty>
            ) : (
              <>
                <Choices label="What to create" name="form" choices={formNames} chosen={form} choose={choose} />
                {form === 'Template' ? (
                  <Made place={place} />
                ) : (
                  <Panel>
                    <Made key={form} place={place} />
                  </Panel>
                )}
              </>
            )}
          </div>
        )
      }}
    </ShownProject>
  )
}

interface NoSuchProps {
  readonly project: Summary
  readonly wanted: string
  readonly form: string | undefined
}

/** Whatever is made there would be refused. */
function NoSuchEnvironment({ project, wanted, form }: NoSuchProps) {
  return (
    <div className="flex max-w-3xl flex-col gap-5">
      <PageHead title="No such environment" />
      <Empty title={`${titleOf(project)} has no environment ${wanted}`}>
        <p>The link may be old, or the environment was deleted. Create something in one that there is:</p>
        <ul className="mt-2 flex flex-wrap gap-2">
          {environmentsOf(project).map((environment) => (
            <li key={environment}>
              <Link
                to="/projects/$project/create"
                params={{ project: project.name }}
                search={{ environment, ...defined({ form }) }}
                className={buttonClass()}
              >
                {environment}
              </Link>
            </li>
          ))}
        </ul>
      </Empty>
    </div>
  )
}
