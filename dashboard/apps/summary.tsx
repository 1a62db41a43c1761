/** The service now: its last attempt step by step, what it is, and the copies that run. */
import { useRead } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { Copyable } from '../ui/copy.tsx'
import { isOverSsh } from '../ui/git-fields.ts'
import { Empty, Skeleton } from '../ui/notice.tsx'
import { Facts, Panel } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { whatItIs } from '../ui/resources.tsx'
import { textOf } from '../ui/spec.ts'
import { StateBadge } from '../ui/state.tsx'
import { Ago, Lasting } from '../ui/time.tsx'
import { sourceRows } from './running.ts'
import { useRunning } from './use-running.ts'
import { Builds } from './builds/builds.tsx'
import { Copies } from './copies/copies.tsx'
import { DeployKeyPanel } from './builds/deploy-key.tsx'
import type { ServiceProps } from './service-props.ts'
import { Timeline } from './deployments/timeline.tsx'

export const attemptStates = { Running: 'pending', Succeeded: 'ready', Failed: 'failed' } as const

export function Summary({ app, detail: { resource } }: ServiceProps) {
  const { canMutate } = useMe()
  const status = useRead('apps.status', { app })
  const running = useRunning(app, resource)
  return (
    <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,4fr)_minmax(0,3fr)]">
      <Shown
        of={status}
        what="the status"
        loading={
          <Panel title="Last deploy">
            <Skeleton rows={4} />
          </Panel>
        }
      >
        {({ lastAttempt: last, message }) =>
          last === undefined ? (
            <Panel title="Last deploy">
              <Empty title="Never deployed">Deploy the draft to see its steps here, live.</Empty>
            </Panel>
          ) : (
            <Panel
              title="Last deploy"
              note={
                <>
                  <Ago at={last.startedAt} />, {last.completedAt === undefined ? 'for' : 'took'}{' '}
                  <Lasting from={last.startedAt} to={last.completedAt} />
                </>
              }
              actions={<StateBadge state={attemptStates[last.phase]} word={last.phase} />}
            >
              {last.errors !== undefined && last.errors.length > 0 && (
                <ul className="mb-3 list-disc pl-5 text-sm text-failed">
                  {last.errors.map((error) => (
                    <li key={error}>{error}</li>
                  ))}
                </ul>
              )}
              <Timeline app={app} id={last.id} waitsFor={last.phase === 'Running' ? message : undefined} />
            </Panel>
          )
        }
      </Shown>
      <div className="flex flex-col gap-5">
        <Panel title="What it is">
          <Facts
            rows={[
              ['Name', <Copyable key="name" text={resource.name} what="the name" />],
              ...sourceRows(whatItIs(resource), running),
              ['Port', textOf(resource.details, 'port')],
              ['Address', resource.url === '' ? 'none' : resource.url],
              ['Made', <Ago key="made" at={resource.createdAt} />],
            ]}
          />
        </Panel>
        {/* The key has to be made and given to the git server before the first build. */}
        {canMutate && isOverSsh(textOf(resource.details, 'repository')) && <DeployKeyPanel app={app} />}
        <Copies app={app} />
        {resource.details['source'] === 'git' && <Builds app={app} />}
      </div>
    </div>
  )
}
