/** The kept deployments of a service: their steps, what each changed, and going back to one. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { View } from '../../../contract/operations.ts'
import { useTokenNames } from '../../data/actors.ts'
import { useRead } from '../../data/queries.ts'
import { useMe } from '../../data/session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/notice.tsx'
import { NameCell, Panel, Table } from '../../ui/panel.tsx'
import { Shown } from '../../ui/read.tsx'
import { StateWord } from '../../ui/state.tsx'
import { Ago } from '../../ui/time.tsx'
import { Compare } from './compare.tsx'
import type { ServiceProps } from '../service-props.ts'
import { RollBack } from './rollback.tsx'
import { attemptStates } from '../summary.tsx'
import { Timeline } from './timeline.tsx'

type Deployment = View<'apps.deployments'>['items'][number]

const noRollback = 'Functions cannot be rolled back: restore the earlier code and deploy again'

export function Deployments({ app, detail: { resource } }: ServiceProps) {
  const { canMutate } = useMe()
  const deployments = useRead('apps.deployments', { app })
  const named = useTokenNames()
  const [steps, setSteps] = useState<Deployment>()
  const [back, setBack] = useState<Deployment>()
  const [compared, setCompared] = useState<Deployment>()
  return (
    <Panel title="Deployments" note="the last 12 are kept" actions={<RunsLink app={app} />} flush>
      <Shown of={deployments} what="the deployments">
        {({ items }) =>
          items.length === 0 ? (
            <div className="p-4">
              <Empty title="No deployments yet">Deploy the draft to see its steps.</Empty>
            </div>
          ) : (
            <Table label="Deployments" head={['When', 'What', 'Outcome', 'By', 'Image', '']}>
              {items.map((item, index) => (
                <tr key={item.id}>
                  <td className="whitespace-nowrap">
                    <Ago at={item.startedAt ?? item.createdAt} />
                  </td>
                  <NameCell>
                    <What item={item} newest={index === 0} />
                  </NameCell>
                  <td>
                    <Outcome outcome={item.outcome} reason={item.reason} />
                  </td>
                  <td className="min-w-32 wrap-anywhere">{named(item.requestedBy ?? item.actor)}</td>
                  <td className="max-w-64">
                    {item.image === '' ? (
                      <span className="text-muted">not shown</span>
                    ) : (
                      <Copyable text={item.image} what="the image" />
                    )}
                  </td>
                  <td>
                    <span className="flex justify-end gap-2">
                      <Button small onClick={() => setSteps(item)}>
                        Steps
                      </Button>
                      {canMutate && (
                        <Button small onClick={() => setCompared(item)}>
                          Compare
                        </Button>
                      )}
                      {canMutate && (
                        <Button
                          small
                          why={resource.details['source'] === 'function' ? noRollback : undefined}
                          onClick={() => setBack(item)}
                        >
                          Roll back
                        </Button>
                      )}
                    </span>
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Shown>
      <Dialog wide open={steps !== undefined} onClose={() => setSteps(undefined)} title={steps?.changeTitle ?? 'Steps'}>
        {steps !== undefined && <Timeline app={app} id={steps.id} />}
      </Dialog>
      <Dialog wide open={compared !== undefined} onClose={() => setCompared(undefined)} title="What it changed">
        {compared !== undefined && <Compare app={app} of={compared} all={deployments.data?.items ?? []} />}
      </Dialog>
      <Dialog wide open={back !== undefined} onClose={() => setBack(undefined)} title="Roll back?">
        {back !== undefined && <RollBack app={app} to={back} onClose={() => setBack(undefined)} />}
      </Dialog>
    </Panel>
  )
}

/** With its ID, by which titles of rollbacks and reasons of failures name it. */
function What({ item: { id, changeTitle }, newest }: { item: Deployment; newest: boolean }) {
  return (
    <>
      {changeTitle}
      {newest && <span className="ml-2 text-xs text-muted">newest</span>}
      <span className="block font-mono text-xs text-muted">{id}</span>
    </>
  )
}

interface OutcomeProps {
  readonly outcome: Deployment['outcome']
  readonly reason: Deployment['reason']
}

function Outcome({ outcome, reason }: OutcomeProps) {
  if (outcome === undefined) return <span className="text-muted">not known</span>
  return (
    <>
      <StateWord state={attemptStates[outcome]} word={outcome} />
      {reason !== undefined && (
        <span className="line-clamp-3 block max-w-64 text-xs text-failed wrap-anywhere" title={reason}>
          {reason}
        </span>
      )}
    </>
  )
}

/** Looks, restarts and changes of live settings are runs as well, and no deployments. */
function RunsLink({ app }: { app: string }) {
  return (
    <Link to="/runs" search={{ kind: 'app', resource: app }} className={buttonClass('plain', true)}>
      All runs
    </Link>
  )
}
