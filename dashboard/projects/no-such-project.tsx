/** Instead of a page of a project that is not there. */
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../ui/button.tsx'
import { Empty } from '../ui/notice.tsx'
import { PageHead } from '../ui/panel.tsx'

export function NoSuchProject({ name }: { name: string }) {
  return (
    <div className="flex flex-col gap-4">
      <PageHead title="No such project" />
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
