/** The kept deployments of a service: their steps, and going back to one after seeing what that does. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { View } from '../../contract/operations.ts'
import { sentenceOf } from '../data/api.ts'
import { useRead, useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty, Notice } from '../ui/notice.tsx'
import { Facts, Panel, Table } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { textOf } from '../ui/spec.ts'
import { Ago } from '../ui/time.tsx'
import type { ServiceProps } from './page.tsx'
import { Timeline } from './timeline.tsx'

type Deployment = View<'apps.deployments'>['items'][number]

export function Deployments({ app, detail: { resource } }: ServiceProps) {
  const { canMutate } = useMe()
  const deployments = useRead('apps.deployments', { app })
  const [steps, setSteps] = useState<Deployment>()
  const [back, setBack] = useState<Deployment>()
  const isFunction = resource.details['source'] === 'function'
  return (
    <Panel title="Deployments" note="the last 12 are kept" actions={<RunsLink app={app} />} flush>
      <Shown of={deployments} what="the deployments">
        {({ items }) =>
          items.length === 0 ? (
            <div className="p-4">
              <Empty title="No deployments yet">Deploy the draft to see its steps.</Empty>
            </div>
          ) : (
            <Table label="Deployments" head={['When', 'What', 'By', 'Image', '']}>
              {items.map((item, index) => (
                <tr key={item.id}>
                  <td className="whitespace-nowrap">
                    <Ago at={item.startedAt ?? item.createdAt} />
                  </td>
                  <td>
                    {item.changeTitle}
                    {index === 0 && <span className="ml-2 text-xs text-muted">newest</span>}
                  </td>
                  <td className="whitespace-nowrap">{item.actor}</td>
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
                        <Button
                          small
                          why={
                            isFunction
                              ? 'Functions cannot be rolled back: restore the earlier code and deploy again'
                              : undefined
                          }
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
      <Dialog open={back !== undefined} onClose={() => setBack(undefined)} title="Roll back?">
        {back !== undefined && <RollBack app={app} to={back} detail={resource} onClose={() => setBack(undefined)} />}
      </Dialog>
    </Panel>
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

/** What goes back and, as important, what does not. */
function RollBack({
  app,
  to,
  detail,
  onClose,
}: {
  app: string
  to: Deployment
  detail: ServiceProps['detail']['resource']
  onClose: () => void
}) {
  const rollback = useWrite('apps.rollback')
  const fromImage = detail.details['source'] === 'image'
  const now = textOf(detail.details, 'image')
  return (
    <div className="flex flex-col gap-4">
      <Facts
        rows={[
          [
            'To',
            <span key="to">
              {to.changeTitle}, <Ago at={to.startedAt ?? to.createdAt} />
            </span>,
          ],
          ...(fromImage
            ? [
                [
                  'Image now',
                  <code key="now" className="font-mono text-xs">
                    {now}
                  </code>,
                ] as const,
                [
                  'Image then',
                  <code key="then" className="font-mono text-xs">
                    {to.image}
                  </code>,
                ] as const,
              ]
            : []),
        ]}
      />
      <p className="text-sm text-muted">
        {fromImage ? 'The image and the number of copies go back' : 'Only the number of copies goes back'}. Variables,
        hosts and other settings stay as they are. It is deployed at once, as a new deployment.
      </p>
      {rollback.isError && <Notice kind="failed">{sentenceOf(rollback.error)}</Notice>}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Leave it</Button>
        <Button
          kind="primary"
          busy={rollback.isPending}
          onClick={() => rollback.mutate({ app, revision: to.id }, { onSuccess: onClose })}
        >
          Roll back
        </Button>
      </div>
    </div>
  )
}
