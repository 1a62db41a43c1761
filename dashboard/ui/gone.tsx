/** Instead of a page of a record that is not there: one that was deleted, or a mistyped address. */
import { Link } from '@tanstack/react-router'
import { buttonClass } from './button.tsx'
import { Empty } from './notice.tsx'
import { PageHead } from './panel.tsx'

/** `what`: `project`, `service`, `logical database`. */
export function Gone({ what, name }: { what: string; name: string }) {
  return (
    <div className="flex flex-col gap-4">
      <PageHead title={`No such ${what}`} />
      <Empty
        title="It was deleted, or never was"
        action={
          <Link to="/" className={buttonClass()}>
            To the overview
          </Link>
        }
      >
        {name}
      </Empty>
    </div>
  )
}
