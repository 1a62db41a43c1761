/** What can be done with a service as it is now: deploying, building, ending a build, trying a deploy again. */
import type { ReactNode } from 'react'
import type { View } from '../../contract/operations.ts'
import { useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import type { Summary } from '../ui/resources.tsx'
import { buildState } from './builds/builds.tsx'

interface Actions {
  readonly buttons: ReactNode
  /** Why the last one was refused. */
  readonly failed: Error | null
}

export function useActions(app: string, resource: Summary, status: View<'apps.status'> | undefined): Actions {
  const { canMutate } = useMe()
  const deploy = useWrite('apps.deploy')
  const retry = useWrite('apps.retry-provision')
  const build = useWrite('apps.build')
  const cancel = useWrite('apps.build-cancel')
  const why = canMutate ? undefined : 'Only administrators deploy'
  const isGoing = resource.state === 'deleting' ? 'It is being deleted' : undefined
  const isBuilding = status?.build !== undefined && buildState(status.build.phase) === 'pending'
  const buttons = (
    <>
      {resource.state === 'failed' && (
        <Button busy={retry.isPending} why={why} onClick={() => retry.mutate({ app })}>
          Retry
        </Button>
      )}
      {isBuilding && (
        <ConfirmButton
          label="Cancel build"
          title={`Cancel the build of ${app}?`}
          verb="Cancel it"
          keep="Let it build"
          why={why}
          act={() => cancel.mutateAsync({ app })}
        >
          <p className="text-muted">
            What it has done so far is lost, and a deploy that waits for it fails. What runs stays as it is.
          </p>
        </ConfirmButton>
      )}
      {resource.details['source'] === 'git' && status !== undefined && !isBuilding && (
        <Button
          busy={build.isPending}
          why={why ?? isGoing ?? (status.build === undefined ? 'Its first deploy builds it' : undefined)}
          title="Builds the head of the branch again; what is pending stays pending"
          onClick={() => build.mutate({ app })}
        >
          Build
        </Button>
      )}
      <Button kind="primary" busy={deploy.isPending} why={why ?? isGoing} onClick={() => deploy.mutate({ app })}>
        {resource.state === 'draft' ? 'Deploy' : resource.pendingChanges > 0 ? 'Deploy changes' : 'Deploy again'}
      </Button>
    </>
  )
  return { buttons, failed: deploy.error ?? retry.error ?? build.error }
}
