/** Staged changes of an environment: each with its difference, to discard or to deploy, one or all. */
import { Link, useParams, useSearch } from '@tanstack/react-router'
import type { View } from '../../contract/operations.ts'
import { sentenceOf } from '../data/api.ts'
import { useRead, useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Diff, pendingText, type PendingDiff } from '../ui/diff.tsx'
import { Discard } from '../ui/discard.tsx'
import { Empty, Notice, Skeleton } from '../ui/notice.tsx'
import { PageHead, Panel } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { kinds, titleOf } from '../ui/resources.tsx'
import { canBeDiscarded, DiscardAll } from './discard-all.tsx'
import { NeededCapacity, OwnCapacity } from './needed-capacity.tsx'
import { chosenEnvironment, ShownProject } from './shown-project.tsx'

const capacityEveryMs = 10_000

export function ChangesPage() {
  const { project } = useParams({ from: '/projects/$project/changes' })
  const wanted = useSearch({ from: '/projects/$project/changes' }).environment
  return (
    <ShownProject name={project}>
      {({ resource }) => (
        // A deploy of a project with several environments has to name one.
        <Changes project={project} environment={wanted ?? chosenEnvironment(resource, undefined)} />
      )}
    </ShownProject>
  )
}

function Changes(place: { project: string; environment: string }) {
  const { canMutate } = useMe()
  const { project, environment } = place
  const pending = useRead('projects.pending', place, { enabled: canMutate })
  // There is no event of capacity that copies take or free.
  const capacity = useRead('projects.capacity', place, { enabled: canMutate, everyMs: capacityEveryMs })
  const deploy = useWrite('projects.deploy')
  const count = pending.data?.items.length ?? 0
  const back = (
    <Link to="/projects/$project" params={{ project }} search={{ environment }} className={buttonClass()}>
      Back to the environment
    </Link>
  )
  return (
    <div className="flex flex-col gap-5">
      <PageHead
        title="Pending changes"
        lead={`Saved in ${environment}, and not deployed`}
        actions={
          <>
            {back}
            {canMutate && <DiscardAll items={pending.data?.items ?? []} />}
            {canMutate && (
              <Button
                kind="primary"
                busy={deploy.isPending}
                why={count === 0 ? 'Nothing is pending' : undefined}
                onClick={() => deploy.mutate(place)}
              >
                Deploy all
              </Button>
            )}
          </>
        }
      />
      {deploy.isError && (
        <Notice kind="failed">
          {sentenceOf(deploy.error)}. What was deployed before this refusal stays; what is left stands below.
        </Notice>
      )}
      {deploy.isSuccess && (
        <Notice kind="info">
          Deploying {deploy.data.deployed} {deploy.data.deployed === 1 ? 'resource' : 'resources'}.
        </Notice>
      )}
      {!canMutate ? (
        <Empty title="Not for your role">Only administrators see what a deploy would change.</Empty>
      ) : (
        <Shown of={pending} what="the pending changes">
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="Nothing is pending">Everything that is saved in this environment is deployed.</Empty>
            ) : capacity.isLoading ? (
              // It stands above the changes, and beside each.
              <Skeleton rows={3} height={120} label="Loading the capacity that a deploy needs" />
            ) : (
              <div className="flex flex-col gap-4">
                <NeededCapacity of={capacity} />
                {items.map((item) => (
                  <Change
                    key={`${item.kind}/${item.name}`}
                    item={item}
                    needs={capacity.data?.items.find(({ kind, name }) => kind === item.kind && name === item.name)}
                  />
                ))}
              </div>
            )
          }
        </Shown>
      )}
    </div>
  )
}

interface ChangeProps {
  readonly item: PendingDiff
  readonly needs: View<'projects.capacity'>['items'][number] | undefined
}

function Change({ item, needs }: ChangeProps) {
  const apps = useWrite('apps.deploy')
  const databases = useWrite('databases.deploy')
  const stores = useWrite('object-stores.deploy')
  const write = item.kind === 'app' ? apps : item.kind === 'database' ? databases : stores
  const start = () => {
    if (item.kind === 'app') apps.mutate({ app: item.name })
    else if (item.kind === 'database') databases.mutate({ db: item.name })
    else stores.mutate({ store: item.name })
  }
  const failed = write.error
  return (
    <Panel
      title={titleOf(item)}
      note={`${kinds[item.kind].word}: ${pendingText(item.pending)}`}
      actions={
        <span className="flex gap-2">
          {canBeDiscarded(item) && <Discard {...item} />}
          <Link {...kinds[item.kind].link(item.name)} className={buttonClass('plain', true)}>
            Open
          </Link>
          <Button small kind="primary" busy={write.isPending} onClick={start}>
            Deploy
          </Button>
        </span>
      }
    >
      {failed !== null && (
        <div className="mb-3">
          <Notice kind="failed">{sentenceOf(failed)}</Notice>
        </div>
      )}
      <div className="flex flex-col gap-3">
        <OwnCapacity item={needs} />
        <Diff diff={item} />
      </div>
    </Panel>
  )
}
