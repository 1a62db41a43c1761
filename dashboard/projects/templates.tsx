/** The catalogue of templates: what each makes, and making it as drafts. */
import { useNavigate } from '@tanstack/react-router'
import { sentenceOf } from '../data/api.ts'
import { useRead, useWrite } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import type { Place } from './create-fields.ts'

export function Templates({ place }: { place: Place }) {
  const templates = useRead('templates.list', {})
  const make = useWrite('templates.deploy')
  const navigate = useNavigate()
  return (
    <Shown of={templates} what="the templates">
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="No templates">This install has none in its catalogue.</Empty>
        ) : (
          <div className="flex flex-col gap-4">
            {make.isError && <Notice kind="failed">{sentenceOf(make.error)}</Notice>}
            {items.map(({ id, name, description, category, resources }) => (
              <Panel
                key={id}
                title={name}
                note={category}
                actions={
                  <Button
                    small
                    busy={make.isPending}
                    onClick={() =>
                      make.mutate(
                        { template: id, ...place },
                        {
                          onSuccess: () =>
                            void navigate({
                              to: '/projects/$project/changes',
                              params: { project: place.project },
                              search: { environment: place.environment },
                            }),
                        },
                      )
                    }
                  >
                    Make drafts
                  </Button>
                }
              >
                <p className="text-sm">{description}</p>
                <p className="mt-2 text-xs text-muted">
                  Makes{' '}
                  {resources.map((each) => `${each.kind === 'app' ? 'service' : 'database'} ${each.name}`).join(', ')}
                </p>
              </Panel>
            ))}
          </div>
        )
      }
    </Shown>
  )
}
