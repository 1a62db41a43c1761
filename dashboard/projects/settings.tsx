/** Settings of a project: its name and environments, shared variables, who may reach it, webhooks, deleting it. */
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { projectOperations } from '../../contract/projects/operations.ts'
import type { View } from '../../contract/operations.ts'
import { useEdit, useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { buttonClass } from '../ui/button.tsx'
import { DeleteButton } from '../ui/confirm.tsx'
import { EditForm } from '../ui/edit-form.tsx'
import { Foreseen } from '../ui/foreseen.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHead, Panel, Table } from '../ui/panel.tsx'
import { titleOf } from '../ui/resources.tsx'
import { linesOf, listOf, textOf, type Spec } from '../ui/spec.ts'
import { BackupStorage } from './backup-storage.tsx'
import { Compliance } from './compliance.tsx'
import { Deliveries } from './deliveries.tsx'
import { GitHost } from './git-host.tsx'
import { PullRequests } from './pull-requests.tsx'
import { SharedVariables } from './shared-variables.tsx'
import { ShownProject } from './shown-project.tsx'
import { Webhooks } from './webhooks.tsx'

export function ProjectSettingsPage() {
  const { project: name } = useParams({ from: '/projects/$project/settings' })
  return <ShownProject name={name}>{(detail) => <Settings name={name} detail={detail} />}</ShownProject>
}

function Settings({ name, detail: { resource, spec } }: { name: string; detail: View<'projects.get'> }) {
  const { canMutate } = useMe()
  const edit = useEdit('projects.settings-save', 'projects.get', { project: name })
  const remove = useWrite('projects.settings-delete')
  const navigate = useNavigate()
  const why = canMutate ? undefined : 'Only administrators change settings'
  return (
    <div className="flex max-w-3xl flex-col gap-5">
      <PageHead
        title={`Settings of ${titleOf(resource)}`}
        lead={<span className="font-mono text-xs">{name}</span>}
        actions={
          <Link to="/projects/$project" params={{ project: name }} search={{}} className={buttonClass()}>
            To the project
          </Link>
        }
      />
      {!canMutate && <Notice kind="warning">You see what your role may see; only administrators change it.</Notice>}
      <Panel title="Name and region">
        <EditForm
          button="Save"
          why={why}
          schema={projectOperations['projects.settings-save'].params}
          {...edit}
          values={{ displayName: resource.displayName, region: textOf(spec, 'region') }}
          fields={[
            { name: 'displayName', label: 'Name' },
            { name: 'region', label: 'Region', hint: 'Of the nodes that its workloads run on; left empty, any' },
          ]}
          foresee={({ region }) =>
            region !== textOf(spec, 'region') && (
              <Foreseen
                of="projects.placement-warnings"
                params={{ project: name, region, requiredTags: listOf(spec, 'requiredTags') }}
              />
            )
          }
        />
      </Panel>
      <Environments name={name} environments={listOf(spec, 'environments').map(String)} why={why} />
      <SharedVariables name={name} spec={spec} />
      <PullRequests name={name} spec={spec} why={why} />
      {canMutate && <GitHost name={name} spec={spec} />}
      <Network name={name} spec={spec} why={why} />
      <Compliance name={name} spec={spec} why={why} />
      {canMutate && <BackupStorage name={name} spec={spec} />}
      <Webhooks name={name} spec={spec} />
      {canMutate && <Deliveries name={name} spec={spec} />}
      <Panel title="Danger zone">
        <DeleteButton
          what="project"
          name={resource.displayName === '' ? name : resource.displayName}
          why={canMutate ? undefined : 'Only administrators delete projects'}
          goes={[
            'all its environments',
            'its services, databases, logical databases and buckets',
            'its tokens and cloud connections',
          ]}
          remove={async (confirmName) => {
            await remove.mutateAsync({ project: name, confirmName })
            void navigate({ to: '/' })
          }}
        />
      </Panel>
    </div>
  )
}

function Environments({
  name,
  environments,
  why,
}: {
  name: string
  environments: readonly string[]
  why: string | undefined
}) {
  const create = useWrite('projects.environments-create')
  const archive = useWrite('projects.environments-archive')
  // A new form for the next one after each success.
  const [made, setMade] = useState(0)
  return (
    <Panel title="Environments" flush>
      <Table label="Environments" head={['Name', '']}>
        {environments.map((environment) => (
          <tr key={environment}>
            <td className="font-medium">{environment}</td>
            <td className="text-right">
              {environments.length > 1 && why === undefined && (
                <DeleteButton
                  what="environment"
                  name={environment}
                  goes={['every service, database and bucket in it', 'its shared variables']}
                  remove={(confirmName) => archive.mutateAsync({ project: name, environment, confirmName })}
                />
              )}
            </td>
          </tr>
        ))}
      </Table>
      <div className="border-t border-line p-4">
        <EditForm
          key={made}
          button="Add an environment"
          done="Added"
          whole
          why={why}
          schema={projectOperations['projects.environments-create'].params}
          save={async (params) => {
            await create.mutateAsync({ project: name, environment: textOf(params, 'environment') })
            setMade(made + 1)
          }}
          values={{ environment: '' }}
          fields={[{ name: 'environment', label: 'New environment', placeholder: 'staging' }]}
        />
      </div>
    </Panel>
  )
}

function Network({ name, spec, why }: { name: string; spec: Spec; why: string | undefined }) {
  const edit = useEdit('projects.network', 'projects.get', { project: name })
  return (
    <Panel title="Who may reach its pods" note="applies at once">
      <EditForm
        button="Apply"
        done="Applied"
        why={why}
        schema={projectOperations['projects.network'].params}
        {...edit}
        save={(params, version) =>
          edit.save(
            {
              isolation: textOf(spec, 'network.isolation') === 'Project' ? 'Project' : 'None',
              allowFromProjects: listOf(spec, 'network.allowFromProjects'),
              ...params,
            },
            version,
          )
        }
        values={{
          isolation: textOf(spec, 'network.isolation'),
          allowFromProjects: linesOf(spec, 'network.allowFromProjects'),
        }}
        fields={[
          {
            name: 'isolation',
            label: 'Isolation',
            kind: 'select',
            options: [
              ['None', 'None: every pod of the cluster'],
              ['Project', 'Project: its own pods, and those let in below'],
            ],
          },
          {
            name: 'allowFromProjects',
            label: 'Projects let in',
            kind: 'lines',
            hint: 'IDs such as proj-0123abcd, one a line',
          },
        ]}
      />
    </Panel>
  )
}
