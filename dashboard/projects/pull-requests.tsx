/** Environments of pull requests: how they are made, which there are, closing one, and allowing a commit of a fork. */
import { useState } from 'react'
import { projectOperations } from '../../contract/projects/operations.ts'
import { useEdit, useWrite } from '../data/queries.ts'
import { DeleteButton } from '../ui/confirm.tsx'
import { EditForm } from '../ui/edit-form.tsx'
import { Panel, Table } from '../ui/panel.tsx'
import { flagOf, isThere, listOf, textOf, type Spec } from '../ui/spec.ts'

interface Props {
  readonly name: string
  readonly spec: Spec
  readonly why: string | undefined
}

export function PullRequests({ name, spec, why }: Props) {
  const edit = useEdit('projects.pr-environments-save', 'projects.get', { project: name })
  const known = listOf(spec, 'pullRequests') as readonly Spec[]
  const open = known.filter((each) => isThere(each, 'environment'))
  return (
    <Panel title="Pull requests" note="a copy of an environment for each">
      <div className="flex flex-col gap-4">
        <EditForm
          button="Apply"
          done="Applied"
          why={why}
          schema={projectOperations['projects.pr-environments-save'].params}
          {...edit}
          values={{
            enabled: flagOf(spec, 'pullRequestEnvironments.enabled'),
            baseEnvironment: textOf(spec, 'pullRequestEnvironments.baseEnvironment'),
            maxOpen: textOf(spec, 'pullRequestEnvironments.maxOpen'),
          }}
          fields={[
            {
              name: 'enabled',
              label: 'Make an environment for each pull request',
              kind: 'check',
              hint: 'Of the repositories that services of the copied environment are built from',
            },
            {
              name: 'baseEnvironment',
              label: 'Copied environment',
              kind: 'select',
              options: basesOf(spec).map((each) => [each, each === '' ? 'the first one' : each]),
              hint: 'Who may push a branch can read its secrets',
            },
            { name: 'maxOpen', label: 'Most of them at once', kind: 'number' },
          ]}
        />
        {open.length > 0 && <OpenOnes name={name} open={open} why={why} />}
        <AllowCommit name={name} why={why} />
      </div>
    </Panel>
  )
}

/** Those that were not made for a pull request themselves. */
function basesOf(spec: Spec): string[] {
  const made = (listOf(spec, 'pullRequests') as readonly Spec[]).map((each) => textOf(each, 'environment'))
  const bases = listOf(spec, 'environments').map(String)
  const unset = textOf(spec, 'pullRequestEnvironments.baseEnvironment') === '' ? [''] : []
  return [...unset, ...bases.filter((each) => !made.includes(each))]
}

function OpenOnes({ name, open, why }: { name: string; open: readonly Spec[]; why: string | undefined }) {
  const close = useWrite('projects.pr-environments-close')
  return (
    <Table label="Environments of pull requests" head={['Environment', 'Pull request', 'Commit', '']}>
      {open.map((each) => (
        <tr key={textOf(each, 'environment')}>
          <td className="font-medium">{textOf(each, 'environment')}</td>
          <td className="wrap-anywhere">
            {textOf(each, 'repository')}#{textOf(each, 'number')}
            {flagOf(each, 'fork') && <span className="block text-xs text-muted">from a fork, without secrets</span>}
          </td>
          <td className="font-mono text-xs">{textOf(each, 'commit').slice(0, 7)}</td>
          <td className="text-right">
            {why === undefined && (
              <DeleteButton
                small
                verb="Close"
                what="environment"
                name={textOf(each, 'environment')}
                goes={['every service, database and bucket in it']}
                remove={() =>
                  close.mutateAsync({
                    project: name,
                    repository: textOf(each, 'repository'),
                    number: Number(textOf(each, 'number')),
                  })
                }
              />
            )}
          </td>
        </tr>
      ))}
    </Table>
  )
}

function AllowCommit({ name, why }: { name: string; why: string | undefined }) {
  const allow = useWrite('projects.pr-environments-allow')
  const [made, setMade] = useState(0)
  return (
    <EditForm
      key={made}
      whole
      button="Allow this commit"
      done="Allowed"
      why={why}
      schema={projectOperations['projects.pr-environments-allow'].params}
      save={async (params) => {
        await allow.mutateAsync({
          project: name,
          repository: textOf(params, 'repository'),
          number: Number(textOf(params, 'number')),
          commit: textOf(params, 'commit'),
        })
        setMade(made + 1)
      }}
      values={{ repository: '', number: '', commit: '' }}
      fields={[
        { name: 'repository', label: 'Repository of a pull request from a fork', placeholder: 'acme/web' },
        { name: 'number', label: 'Its number', kind: 'number' },
        {
          name: 'commit',
          label: 'The commit that you have read',
          hint: 'It is built without secrets; the next one waits',
        },
      ]}
    />
  )
}
