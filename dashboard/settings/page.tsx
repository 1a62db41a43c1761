/** Settings of the platform and of the signed-in user, a section for each. */
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMe } from '../data/session.ts'
import { isForEveryone, settingsSections, type SettingsSection } from '../shell/settings-sections.ts'
import { Empty } from '../ui/notice.tsx'
import { PageHead, Tabs } from '../ui/panel.tsx'
import { Account } from './account.tsx'
import { DnsProvider } from './dns-provider.tsx'
import { Domain } from './domain.tsx'
import { GitHost } from './githost.tsx'
import { PlatformBackup } from './platform-backup.tsx'
import { Registry } from './registry.tsx'
import { CloudConnections } from './cloud-connections.tsx'
import { Servers } from './servers.tsx'
import { Tokens } from './tokens.tsx'
import { Users } from './users.tsx'

const shows: Readonly<Record<SettingsSection, () => ReactNode>> = {
  domain: () => <Domain />,
  dns: () => <DnsProvider />,
  registry: () => <Registry />,
  githost: () => <GitHost />,
  clouds: () => <CloudConnections />,
  servers: () => <Servers />,
  backup: () => <PlatformBackup />,
  tokens: () => <Tokens />,
  users: () => <Users />,
  account: () => <Account />,
}

export function SettingsPage() {
  const { canMutate } = useMe()
  const { section = canMutate ? 'domain' : 'account' } = useParams({ strict: false })
  const shown = settingsSections.find(({ id }) => id === section)
  return (
    <div className="flex flex-col gap-5">
      <PageHead title="Settings" />
      <Tabs
        label="Settings"
        tabs={settingsSections.map(({ id, label }) => ({
          label,
          to: { to: '/settings/$section', params: { section: id } },
        }))}
      />
      <div className="max-w-3xl">
        {shown === undefined ? (
          <Empty title="No such section">The link may be old.</Empty>
        ) : canMutate || isForEveryone(shown) ? (
          shows[shown.id]()
        ) : (
          <Empty title="Not for your role">Only administrators read and change this.</Empty>
        )}
      </div>
    </div>
  )
}
