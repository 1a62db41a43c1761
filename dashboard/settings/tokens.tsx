/** API tokens: who made them, when they end and were used; a new one is shown once. */
import { useState } from 'react'
import { tokenOperations } from '../../contract/tokens/operations.ts'
import type { View } from '../../contract/operations.ts'
import { useRead, useWrite } from '../data/queries.ts'
import { DeleteButton } from '../ui/confirm.tsx'
import { Copyable } from '../ui/copy.tsx'
import { EditForm } from '../ui/edit-form.tsx'
import type { FormValues } from '../ui/form-field.ts'
import { Empty, Notice } from '../ui/notice.tsx'
import { NameCell, Panel, Table } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { titleOf } from '../ui/resources.tsx'
import { Ago, exactTime } from '../ui/time.tsx'

const isWorkspace = ({ scope }: FormValues): boolean => scope === 'workspace'
const isProject = ({ scope }: FormValues): boolean => scope === 'project'

export function Tokens() {
  const tokens = useRead('tokens.list', {})
  const revoke = useWrite('tokens.revoke')
  return (
    <div className="flex flex-col gap-5">
      <Create />
      <Panel title="Tokens" note="newest first" flush>
        <Shown of={tokens} what="the tokens">
          {({ items }) =>
            items.length === 0 ? (
              <div className="p-4">
                <Empty title="No tokens">Programs sign in with them: a pipeline, an agent, the command line.</Empty>
              </div>
            ) : (
              <Table label="Tokens" head={['Name', 'May', 'Made', 'Used', 'Ends', '']}>
                {items.map((token) => (
                  <Row key={token.id} token={token} revoke={() => revoke.mutateAsync({ id: token.id })} />
                ))}
              </Table>
            )
          }
        </Shown>
      </Panel>
    </div>
  )
}

function Row({ token, revoke }: { token: View<'tokens.list'>['items'][number]; revoke: () => Promise<unknown> }) {
  const { id, name, scope, project, environment, role, createdBy, createdAt, expiresAt, lastUsedAt, expired } = token
  return (
    <tr>
      <NameCell>
        {name === '' ? id : name}
        {name !== '' && <code className="block text-xs text-muted">{id}</code>}
        <span className="block text-xs text-muted">by {createdBy}</span>
      </NameCell>
      <td className="wrap-anywhere">{scope === 'project' ? `${project} / ${environment}` : role}</td>
      <td className="whitespace-nowrap">
        <Ago at={createdAt} />
      </td>
      <td className="whitespace-nowrap">{lastUsedAt === null ? 'never' : <Ago at={lastUsedAt} />}</td>
      <td>{expired ? 'ended' : expiresAt === null ? 'never' : exactTime(expiresAt)}</td>
      <td className="text-right">
        <DeleteButton
          what="token"
          name={name === '' ? id : name}
          verb="Revoke"
          small
          goes={['the access of every program that uses it, at once']}
          remove={revoke}
        />
      </td>
    </tr>
  )
}

function Create() {
  const create = useWrite('tokens.create', { touches: ['tokens.list'] })
  const projects = useRead('projects.list', {}).data?.items ?? []
  const [token, setToken] = useState<string>()
  const [made, setMade] = useState(0)
  return (
    <Panel title="Make a token">
      <div className="flex flex-col gap-4">
        {token !== undefined && (
          <Notice kind="info">
            Shown only now: <Copyable text={token} what="the token" />
          </Notice>
        )}
        <EditForm
          key={made}
          whole
          button="Make the token"
          schema={tokenOperations['tokens.create'].params}
          save={async (params) => {
            const answer = await create.mutateAsync(params)
            setToken(answer.token)
            setMade(made + 1)
          }}
          values={{ name: '', scope: 'workspace', role: 'viewer', project: '', environment: '', expiresInDays: '30' }}
          fields={[
            { name: 'name', label: 'Name', placeholder: 'ci' },
            {
              name: 'scope',
              label: 'For',
              kind: 'select',
              options: [
                ['workspace', 'the whole install'],
                ['project', 'one environment'],
              ],
            },
            {
              name: 'role',
              label: 'Role',
              kind: 'select',
              options: [
                ['viewer', 'viewer'],
                ['observer', 'observer: also logs and names of variables'],
                ['admin', 'admin'],
              ],
              when: isWorkspace,
            },
            {
              name: 'project',
              label: 'Project',
              kind: 'select',
              options: [['', 'Choose one'], ...projects.map((each): [string, string] => [each.name, titleOf(each)])],
              when: isProject,
            },
            { name: 'environment', label: 'Environment', placeholder: 'production', when: isProject },
            { name: 'expiresInDays', label: 'Days until it ends', kind: 'number', hint: '0 is never' },
          ]}
        />
      </div>
    </Panel>
  )
}
