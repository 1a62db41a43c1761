/** What the platform itself warns of: capacity, domain, DNS provider, high availability; nothing where all is well. */
import { Link, type LinkProps } from '@tanstack/react-router'
import type { View } from '../../contract/operations.ts'
import { useRead } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { buttonClass } from '../ui/button.tsx'
import { Notice, type NoticeKind } from '../ui/notice.tsx'
import { Shown } from '../ui/read.tsx'

type About = View<'platform.warnings'>['items'][number]['about']

interface Look {
  readonly title: string
  readonly kind: NoticeKind
  readonly link: LinkProps
  /** Whether only those who may change things see that page. */
  readonly forAdmins: boolean
}

const cluster: LinkProps = { to: '/cluster' }
const section = (id: string): LinkProps => ({ to: '/settings/$section', params: { section: id } })

const looks: Readonly<Record<About, Look>> = {
  capacity: { title: 'Capacity', kind: 'warning', link: cluster, forAdmins: false },
  domain: { title: 'Domain', kind: 'warning', link: section('domain'), forAdmins: true },
  dns: { title: 'DNS provider', kind: 'warning', link: section('dns'), forAdmins: true },
  'high-availability': { title: 'High availability', kind: 'info', link: cluster, forAdmins: false },
}

export function Warnings() {
  const { canMutate } = useMe()
  const warnings = useRead('platform.warnings', {})
  return (
    <Shown of={warnings} what="the warnings of the platform" loading={<></>}>
      {({ items }) =>
        items.length === 0 ? null : (
          <section aria-label="Warnings of the platform" className="flex flex-col gap-2">
            {items.map(({ about, message }) => {
              const { title, kind, link, forAdmins } = looks[about]
              const look = forAdmins && !canMutate ? undefined : <Look link={link} title={title} />
              return (
                <Notice key={`${about} ${message}`} kind={kind} action={look}>
                  <strong className="font-semibold">{title}</strong>: {message}.
                </Notice>
              )
            })}
          </section>
        )
      }
    </Shown>
  )
}

const Look = ({ link, title }: { link: LinkProps; title: string }) => (
  <Link {...link} className={buttonClass('plain', true)} aria-label={`Look: ${title}`}>
    Look
  </Link>
)
