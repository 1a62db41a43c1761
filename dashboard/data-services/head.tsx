/** The head of a database, a logical database or a bucket: how it is, where it is, and deploying or retrying it. */
import { Link } from '@tanstack/react-router'
import { sentenceOf } from '../data/api.ts'
import { useRead } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { Button } from '../ui/button.tsx'
import { sentenceOfData } from '../ui/data-sentence.ts'
import { Discard } from '../ui/discard.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHead } from '../ui/panel.tsx'
import { kinds, titleOf, type Summary } from '../ui/resources.tsx'
import { isOfCluster, awaitsObjectServer, toServers } from '../ui/servers.ts'
import { StateBadge } from '../ui/state.tsx'
import { Since } from '../ui/time.tsx'

interface Act {
  readonly run: () => void
  readonly isPending: boolean
  readonly error: Error | null
}

export function DataHead({ resource, deploy, retry }: { resource: Summary; deploy?: Act; retry: Act }) {
  const { canMutate } = useMe()
  const why = canMutate ? undefined : 'Only administrators change it'
  const failed = deploy?.error ?? retry.error
  return (
    <>
      <PageHead
        title={titleOf(resource)}
        badge={<StateBadge state={resource.state} />}
        lead={<Place resource={resource} />}
        actions={
          <>
            {resource.state === 'failed' && (
              <Button busy={retry.isPending} why={why} onClick={retry.run}>
                Retry
              </Button>
            )}
            {deploy !== undefined && canMutate && resource.pendingChanges > 0 && resource.state !== 'draft' && (
              <Discard kind={resource.kind} name={resource.name} pending={['settings']} />
            )}
            {deploy !== undefined && (resource.pendingChanges > 0 || resource.state === 'draft') && (
              <Button kind="primary" busy={deploy.isPending} why={why} onClick={deploy.run}>
                {resource.state === 'draft' ? 'Deploy' : 'Deploy changes'}
              </Button>
            )}
          </>
        }
      />
      {failed !== null && failed !== undefined && <Notice kind="failed">{sentenceOf(failed)}</Notice>}
      <p className="text-sm" data-testid="sentence">
        {sentenceOfData(resource, wordOf(resource))} <Since at={resource.since} />{' '}
        {resource.message.startsWith(awaitsObjectServer) && (
          <Link {...toServers} hash="object-server" className="text-accent underline">
            {canMutate ? 'Set it up' : 'How it is'}
          </Link>
        )}
      </p>
    </>
  )
}

const wordOf = (resource: Summary): string =>
  resource.kind === 'object-store' && isOfCluster(resource) ? 'Object server' : kinds[resource.kind].word

function Place({ resource: { project, environment } }: { resource: Summary }) {
  const found = useRead('projects.get', { project }, { enabled: project !== '' })
  if (project === '')
    return (
      <Link {...toServers} className="text-accent hover:underline">
        of the cluster, for every project
      </Link>
    )
  return (
    <Link to="/projects/$project" params={{ project }} search={{ environment }} className="text-accent hover:underline">
      {found.data === undefined ? project : titleOf(found.data.resource)} / {environment}
    </Link>
  )
}
