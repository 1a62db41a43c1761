/** The backups of a database, logical database or bucket: taking one, restoring and deleting each. */
import { Link, useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import type { View } from '../../contract/operations.ts'
import { sentenceOf } from '../data/api.ts'
import { useRead, useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { Button } from '../ui/button.tsx'
import { DeleteButton } from '../ui/confirm.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { bytesText } from '../ui/meter.tsx'
import { Empty, Notice } from '../ui/notice.tsx'
import { Panel, Table } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { isThere, textOf, type Spec } from '../ui/spec.ts'
import { StateWord } from '../ui/state.tsx'
import { Ago } from '../ui/time.tsx'

type Archive = View<'databases.archives'>['items'][number]

interface Props {
  readonly name: string
  readonly kind: 'Database' | 'LogicalDatabase' | 'ObjectStore'
  readonly isDaily: boolean
  readonly project: string
  /** Why there is nothing to back up yet. */
  readonly lacks?: string | undefined
  /** Takes one now, and resolves to its name. */
  readonly backup: { readonly isPending: boolean; readonly error: Error | null; readonly take: () => Promise<string> }
  /** The form of whether and how long they are kept. */
  readonly keeping: ReactNode
}

/** Of one database, logical database or bucket. */
export function BackupsPanel({ name, kind, isDaily, project, lacks, backup, keeping }: Props) {
  const { canMutate } = useMe()
  const found = useRead('projects.get', { project }, { enabled: canMutate })
  // Others are not shown whether there is one.
  const { spec } = found.data ?? {}
  const hasStorage = !canMutate || spec === undefined || isThere(spec, 'backupStorage')
  const isStorage = kind === 'ObjectStore' && spec !== undefined && storageHere(spec) === name
  const storageWhy = isStorage
    ? 'The bucket has the backups of its project, and is not backed up'
    : hasStorage
      ? undefined
      : 'Choose a backup storage for the project first'
  const why = canMutate ? (lacks ?? storageWhy) : 'Only administrators take backups'
  const [asked, setAsked] = useState<string>()
  const archives = useRead('databases.archives', { project, database: name })
  const take = async () => setAsked(await backup.take())
  return (
    <Panel
      title="Backups"
      note={canMutate ? (isDaily ? 'one every day' : 'taken by hand alone') : undefined}
      flush
      actions={
        <Button small busy={backup.isPending} why={why} onClick={() => void take().catch(() => undefined)}>
          Back up now
        </Button>
      }
    >
      {backup.error !== null && (
        <div className="px-4 pt-4">
          <Notice kind="failed">{sentenceOf(backup.error)}</Notice>
        </div>
      )}
      {!hasStorage && (
        <div className="px-4 pt-4">
          <Notice kind="info" action={<ToStorage project={project} />}>
            Backups have nowhere to go: the project has no backup storage.
          </Notice>
        </div>
      )}
      <Shown of={archives} what="the backups">
        {({ items: all }) => (
          <List items={all.filter(({ databaseKind = 'Database' }) => databaseKind === kind)} asked={asked} />
        )}
      </Shown>
      {canMutate && <div className="border-t border-line p-4">{keeping}</div>}
    </Panel>
  )
}

/** The bucket of the object server that a project keeps its backups in; empty where it is elsewhere, or none. */
const storageHere = (spec: Spec): string =>
  textOf(spec, 'backupStorage.source') === 'ObjectStore' ? textOf(spec, 'backupStorage.connectionRef.name') : ''

const ToStorage = ({ project }: { project: string }) => (
  <Link to="/projects/$project/settings" params={{ project }} hash="backup-storage" className="underline">
    Choose one
  </Link>
)

function List({ items, asked }: { items: readonly Archive[]; asked: string | undefined }) {
  return (
    <>
      {asked !== undefined && !items.some(({ name }) => name === asked) && <Taking archive={asked} />}
      {items.length === 0 ? (
        <Empty title="No backup yet">
          A backup is listed once it was stored, read back and found to be what was written.
        </Empty>
      ) : (
        <Table label="Backups" head={['State', 'Moment', 'Size', 'Taken', 'Proven', '']}>
          {items.map((archive) => (
            <Row key={archive.name} archive={archive} />
          ))}
        </Table>
      )}
    </>
  )
}

/** One that was asked for here and is not whole yet. */
function Taking({ archive }: { archive: string }): ReactNode {
  const { data } = useRead('databases.get-archive', { archive })
  if (data === undefined) return null
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-2 px-4 pt-4 text-sm">
      <StateWord state={data.state} />
      <span className="font-mono text-xs">{archive}</span>
      <span className="text-muted">{data.message}</span>
    </p>
  )
}

const taken: Record<Archive['trigger'], string> = {
  Manual: 'by hand',
  Schedule: 'by schedule',
  Deletion: 'before its deletion',
  Upgrade: 'before another version',
}

function Row({ archive }: { archive: Archive }) {
  const { canMutate } = useMe()
  const remove = useWrite('databases.delete-archive')
  const { name, state, firstRestorePoint, lastRestorePoint, noLaterMoments, size, trigger } = archive
  return (
    <tr>
      <td>
        <StateWord state={state} />
      </td>
      <td className="whitespace-nowrap" title={name}>
        <Ago at={firstRestorePoint} />
        {lastRestorePoint !== firstRestorePoint && (
          <span className="text-muted">
            {' '}
            until <Ago at={lastRestorePoint} />
          </span>
        )}
        {noLaterMoments !== undefined && (
          <span className="block text-xs text-muted">this moment alone: {noLaterMoments}</span>
        )}
      </td>
      <td className="whitespace-nowrap tabular-nums">{size === undefined ? '' : bytesText(size)}</td>
      <td className="whitespace-nowrap text-muted">{taken[trigger]}</td>
      <td className="whitespace-nowrap">
        <Proven archive={archive} />
      </td>
      <td>
        <div className="flex justify-end gap-2">
          <Restore archive={archive} />
          <DeleteButton
            small
            what="backup"
            name={name}
            why={canMutate ? undefined : 'Only administrators delete backups'}
            goes={['its files in the bucket', 'the way back to that moment']}
            remove={(confirmName) => remove.mutateAsync({ archive: name, confirmName })}
          />
        </div>
      </td>
    </tr>
  )
}

/** When it was last restored on trial, and the moment its log led to; of one whose newest drill failed, why. */
function Proven({ archive: { lastProvenAt, drill } }: { archive: Archive }): ReactNode {
  if (drill?.outcome === 'Failed') return <span title={drill.message}>failed</span>
  if (lastProvenAt === undefined) return <span className="text-muted">not yet</span>
  return (
    <>
      <Ago at={lastProvenAt} />
      {drill?.replayedTo !== undefined && (
        <span className="block text-xs text-muted">
          replayed to <Ago at={drill.replayedTo} />
        </span>
      )}
    </>
  )
}

/** Into a new database, or a new bucket. */
function Restore({ archive }: { archive: Archive }) {
  return archive.engine === 'bucket' ? <RestoreBucket archive={archive} /> : <RestoreDatabase archive={archive} />
}

function RestoreBucket({ archive: { name, firstRestorePoint, counts } }: { archive: Archive }) {
  const { canMutate } = useMe()
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  const restore = useWrite('object-stores.restore')
  const run = async () => {
    const made = await restore.mutateAsync({ archive: name })
    void navigate({ to: '/buckets/$store', params: { store: made.name } })
  }
  return (
    <>
      <Button small why={canMutate ? undefined : 'Only administrators restore buckets'} onClick={() => setOpen(true)}>
        Restore
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Restore into a new bucket?">
        <div className="flex flex-col gap-4">
          <p className="text-sm">
            A new bucket is made in this environment, with a name and keys of its own, and gets the{' '}
            {counts?.objects === undefined ? 'objects' : `${counts.objects} objects`} as of{' '}
            <Ago at={firstRestorePoint} />. This bucket stays as it is.
          </p>
          <Confirmation restore={restore} close={() => setOpen(false)} run={run} />
        </div>
      </Dialog>
    </>
  )
}

interface ConfirmationProps {
  readonly restore: { readonly error: Error | null; readonly isPending: boolean }
  readonly close: () => void
  readonly run: () => Promise<void>
}

function Confirmation({ restore, close, run }: ConfirmationProps) {
  return (
    <>
      {restore.error !== null && <Notice kind="failed">{sentenceOf(restore.error)}</Notice>}
      <div className="flex justify-end gap-2">
        <Button onClick={close}>Leave it</Button>
        <Button kind="primary" busy={restore.isPending} onClick={() => void run().catch(() => undefined)}>
          Restore
        </Button>
      </div>
    </>
  )
}

function RestoreDatabase({
  archive: { name, engine, version, firstRestorePoint, lastRestorePoint },
}: {
  archive: Archive
}) {
  const { canMutate } = useMe()
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  const [moment, setMoment] = useState('')
  const restore = useWrite('databases.restore')
  const hasWindow = lastRestorePoint !== firstRestorePoint
  const run = async () => {
    const point = moment.trim()
    const made = await restore.mutateAsync({ archive: name, ...(point === '' ? {} : { restorePoint: point }) })
    void navigate({ to: '/databases/$db', params: { db: made.name } })
  }
  return (
    <>
      <Button small why={canMutate ? undefined : 'Only administrators restore databases'} onClick={() => setOpen(true)}>
        Restore
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Restore into a new database?">
        <div className="flex flex-col gap-4">
          <p className="text-sm">
            A new {engine} {version} is made in this environment, with a name and passwords of its own, and gets the
            data as of <Ago at={firstRestorePoint} />
            {hasWindow && ', or as of a later moment'}. This database stays as it is.
          </p>
          {hasWindow && (
            <TextField
              label="Moment"
              hint={`Any second from ${firstRestorePoint} to ${lastRestorePoint}; the first one when left empty`}
              placeholder={lastRestorePoint}
              className="font-mono"
              value={moment}
              onChange={(event) => setMoment(event.target.value)}
            />
          )}
          <Confirmation restore={restore} close={() => setOpen(false)} run={run} />
        </div>
      </Dialog>
    </>
  )
}
