/** The cloud accounts of projects, and connecting one; keys are written and never read back. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { cloudConnectionOperations } from '../../contract/cloud-connections/operations.ts'
import type { ParamsInput } from '../../contract/operations.ts'
import { useRead, useWrite } from '../data/queries.ts'
import { EditForm } from '../ui/edit-form.tsx'
import type { FormValues } from '../ui/form-field.ts'
import { Empty } from '../ui/notice.tsx'
import { Panel, Table } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { titleOf } from '../ui/resources.tsx'
import { StateWord } from '../ui/state.tsx'
import { Ago } from '../ui/time.tsx'
import { Orphans } from './orphans.tsx'

const isAws = ({ provider }: FormValues): boolean => provider === 'AWS'
const isOther = ({ provider }: FormValues): boolean => provider !== 'AWS'

export function CloudConnections() {
  const connections = useRead('cloud-connections.list', {})
  const projects = useRead('projects.list', {})
  return (
    <div className="flex flex-col gap-5">
      <Connections />
      {/* What is above them has its height by then, so that nothing moves under a pointer. */}
      {!connections.isPending && !projects.isPending && (
        <>
          <Connect />
          <Orphans />
        </>
      )}
    </div>
  )
}

function Connections() {
  const connections = useRead('cloud-connections.list', {})
  return (
    <Panel title="Cloud connections" note="their keys are never shown" flush>
      <Shown of={connections} what="the cloud connections">
        {({ items }) =>
          items.length === 0 ? (
            <div className="p-4">
              <Empty title="No cloud connections">With one, a project has databases and buckets in its account.</Empty>
            </div>
          ) : (
            <Table label="Cloud connections" head={['Name', 'Project', 'Provider', 'Account', 'State', 'Made']}>
              {items.map(({ name, project, provider, account, ready, message, createdAt }) => (
                <tr key={name}>
                  <td className="font-medium">{name}</td>
                  <td>
                    <Link to="/projects/$project" params={{ project }} search={{}} className="hover:underline">
                      {project}
                    </Link>
                  </td>
                  <td>{provider}</td>
                  <td className="text-muted">{account === '' ? 'not known' : account}</td>
                  <td className="min-w-40">
                    <StateWord state={ready ? 'ready' : 'pending'} word={ready ? 'Ready' : 'Not ready'} />
                    {!ready && <span className="block text-xs text-muted">{message}</span>}
                  </td>
                  <td className="whitespace-nowrap">
                    <Ago at={createdAt} />
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Shown>
    </Panel>
  )
}

function Connect() {
  const projects = useRead('projects.list', {})
  const create = useWrite('cloud-connections.create')
  const [made, setMade] = useState<string[]>([])
  return (
    <Panel title="Connect a project to a cloud account">
      <Shown of={projects} what="the projects">
        {({ items }) => (
          <div className="flex flex-col gap-4">
            {made.length > 0 && (
              <p className="text-sm text-ready">
                Saved: {[...new Set(made)].join(', ')}. The table says whether the keys work.
              </p>
            )}
            <EditForm
              key={made.length}
              whole
              button="Connect"
              schema={cloudConnectionOperations['cloud-connections.create'].params}
              save={async (params) => {
                await create.mutateAsync(params as ParamsInput<'cloud-connections.create'>)
                setMade([...made, String(params['name'])])
              }}
              values={{
                name: '',
                project: '',
                provider: 'AWS',
                accessKeyId: '',
                secretAccessKey: '',
                region: '',
                token: '',
                organization: '',
              }}
              fields={[
                { name: 'name', label: 'Name', placeholder: 'aws-main' },
                {
                  name: 'project',
                  label: 'Project',
                  kind: 'select',
                  options: [['', 'Choose one'], ...items.map((each): [string, string] => [each.name, titleOf(each)])],
                },
                {
                  name: 'provider',
                  label: 'Provider',
                  kind: 'select',
                  options: [
                    ['AWS', 'AWS'],
                    ['PlanetScale', 'PlanetScale'],
                  ],
                },
                { name: 'accessKeyId', label: 'Access key ID', kind: 'secret', when: isAws },
                { name: 'secretAccessKey', label: 'Secret access key', kind: 'secret', when: isAws },
                { name: 'region', label: 'Region', when: isAws },
                { name: 'token', label: 'Token', kind: 'secret', when: isOther },
                { name: 'organization', label: 'Organization', when: isOther },
              ]}
            />
          </div>
        )}
      </Shown>
    </Panel>
  )
}
