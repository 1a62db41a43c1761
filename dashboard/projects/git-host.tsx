/** Which environments of a project build from the git host: connecting one, what it was given, disconnecting it. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { sentenceOf } from '../data/api.ts'
import { useRead, useWrite } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { DeleteButton } from '../ui/confirm.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel, Table } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { listOf, textOf, type Spec } from '../ui/spec.ts'

/** For those who may change things. */
export function GitHost({ name, spec }: { name: string; spec: Spec }) {
  const app = useRead('settings.githost', {})
  const connected = listOf(spec, 'gitHosts') as readonly Spec[]
  return (
    <Panel title="Git host" note="which environments build from it" flush>
      <Shown of={app} what="the git host">
        {({ configured }) =>
          configured ? (
            <>
              <Table label="Environments and the git host" head={['Environment', 'Account', '']}>
                {listOf(spec, 'environments')
                  .map(String)
                  .map((environment) => (
                    <Row
                      key={environment}
                      name={name}
                      environment={environment}
                      account={textOf(
                        connected.find((each) => textOf(each, 'environment') === environment) ?? {},
                        'account',
                      )}
                      isConnected={connected.some((each) => textOf(each, 'environment') === environment)}
                    />
                  ))}
              </Table>
              {connected.length > 0 && <Repositories name={name} />}
            </>
          ) : (
            <p className="p-4 text-sm text-muted">
              The platform has no git-host app yet.{' '}
              <Link to="/settings/$section" params={{ section: 'githost' }} className="text-accent underline">
                Set it up first
              </Link>
            </p>
          )
        }
      </Shown>
    </Panel>
  )
}

interface RowProps {
  readonly name: string
  readonly environment: string
  readonly account: string
  readonly isConnected: boolean
}

function Row({ name, environment, account, isConnected }: RowProps) {
  const install = useWrite('projects.githost-install', { touches: [] })
  const disconnect = useWrite('projects.githost-disconnect')
  return (
    <tr>
      <td className="font-medium">{environment}</td>
      <td className="text-muted">
        {isConnected ? (account === '' ? 'connected' : account) : 'not connected'}
        {install.isError && (
          <span role="alert" className="block text-failed">
            {sentenceOf(install.error)}
          </span>
        )}
      </td>
      <td className="text-right">
        {isConnected ? (
          <DeleteButton
            small
            what="environment"
            name={environment}
            verb="Disconnect"
            goes={['pushes that deploy, and reports to the git host; what runs stays, and so does the app there']}
            remove={() => disconnect.mutateAsync({ project: name, environment })}
          />
        ) : (
          <Button
            small
            busy={install.isPending}
            aria-label={`Connect ${environment}`}
            // Its page at the git host sends the browser back here.
            onClick={() =>
              install.mutate({ project: name, environment }, { onSuccess: ({ url }) => location.assign(url) })
            }
          >
            Connect
          </Button>
        )}
      </td>
    </tr>
  )
}

/** Asked of the git host only when they are wanted. */
function Repositories({ name }: { name: string }) {
  const [wanted, setWanted] = useState(false)
  const repositories = useRead('projects.githost-repos', { project: name }, { enabled: wanted })
  if (!wanted)
    return (
      <div className="border-t border-line p-4">
        <Button small onClick={() => setWanted(true)}>
          Show the repositories
        </Button>
      </div>
    )
  return (
    <div className="border-t border-line p-4 text-sm">
      <Shown of={repositories} what="the repositories">
        {({ items }) =>
          items.length === 0 ? (
            <Notice kind="info">The app was given no repository there.</Notice>
          ) : (
            <ul className="list-disc pl-5">
              {items.map((each) => (
                <li key={each.FullName}>
                  <a href={each.HTMLURL} rel="noreferrer" target="_blank" className="text-accent underline">
                    {each.FullName}
                  </a>{' '}
                  <span className="text-muted">
                    {each.DefaultBranch}
                    {each.Private ? ', private' : ''}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </div>
  )
}
