/** Settings of the platform and of the signed-in user, a section for each. */
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMe } from '../data/session.ts'
import { Empty } from '../ui/notice.tsx'
import { PageHead, Tabs } from '../ui/panel.tsx'
import { Account } from './account.tsx'
import { DnsProvider } from './dns-provider.tsx'
import { Domain } from './domain.tsx'
import { GitHost } from './githost.tsx'
import { Registry } from './registry.tsx'
import { CloudConnections } from './cloud-connections.tsx'
import { Tokens } from './tokens.tsx'
import { Users } from './users.tsx'

const sections: readonly (readonly [id: string, label: string, forEveryone: boolean, show: () => ReactNode])[] = [
  ['domain', 'Domain', false, () => <Domain />],
  ['dns', 'DNS provider', false, () => <DnsProvider />],
  ['registry', 'Registry', false, () => <Registry />],
  ['githost', 'Git host', false, () => <GitHost />],
  ['clouds', 'Cloud connections', false, () => <CloudConnections />],
  ['tokens', 'Tokens', false, () => <Tokens />],
  ['users', 'Users', false, () => <Users />],
  ['account', 'Your account', true, () => <Account />],
]

export function SettingsPage() {
  const { canMutate } = useMe()
  const { section = canMutate ? 'domain' : 'account' } = useParams({ strict: false })
  const shown = sections.find(([id]) => id === section)
  return (
    <div className="flex flex-col gap-5">
      <PageHead title="Settings" />
      <Tabs
        label="Settings"
        tabs={sections.map(([id, label]) => ({ label, to: { to: '/settings/$section', params: { section: id } } }))}
      />
      <div className="max-w-3xl">
        {shown === undefined ? (
          <Empty title="No such section">The link may be old.</Empty>
        ) : canMutate || shown[2] ? (
          shown[3]()
        ) : (
          <Empty title="Not for your role">Only administrators read and change this.</Empty>
        )}
      </div>
    </div>
  )
}
