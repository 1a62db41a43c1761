/** Addresses that lead nowhere, and pages that broke. */
import { Link, type ErrorComponentProps } from '@tanstack/react-router'
import { sentenceOf } from '../data/api.ts'
import { buttonClass } from '../ui/button.tsx'
import { Empty, Notice } from '../ui/notice.tsx'
import { PageHead } from '../ui/panel.tsx'

export function NoSuchPage() {
  return (
    <div className="flex flex-col gap-4">
      <PageHead title="No such page" />
      <Empty
        title="Nothing is at this address"
        action={
          <Link to="/" className={buttonClass()}>
            To the overview
          </Link>
        }
      >
        The link may be old, or a letter of it got lost.
      </Empty>
    </div>
  )
}

export function PageFailed({ error }: ErrorComponentProps) {
  return (
    <div className="flex flex-col gap-4">
      <PageHead title="This page broke" />
      <Notice
        kind="failed"
        action={
          <button type="button" className={buttonClass('plain', true)} onClick={() => location.reload()}>
            Load it again
          </button>
        }
      >
        {sentenceOf(error)}. After an upgrade of svc the page has to be loaded again.
      </Notice>
    </div>
  )
}
