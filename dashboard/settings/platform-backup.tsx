/** What svc itself keeps, as one file that is sealed to a public key; and how such a file is brought back. */
import { useState, type ReactNode } from 'react'
import type { View } from '../../contract/operations.ts'
import { platformOperations } from '../../contract/platform/operations.ts'
import { useWrite } from '../data/queries.ts'
import { buttonClass } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { EditForm } from '../ui/edit-form.tsx'
import { Facts, Panel } from '../ui/panel.tsx'
import { Lasting, exactTime } from '../ui/time.tsx'

/** A whole file that the browser has, until the page is left. */
interface Taken extends Omit<View<'platform.backup'>, 'file'> {
  readonly bytes: number
  readonly fileName: string
  readonly url: string
  /** The checksum was compared here; a browser does it only over https and on loopback. */
  readonly isChecked: boolean
}

export function PlatformBackup() {
  return (
    <div className="flex flex-col gap-5">
      <Back />
      <BringBack />
    </div>
  )
}

function Back() {
  // Nothing that a page reads changes with it.
  const backup = useWrite('platform.backup', { touches: [] })
  const [began, setBegan] = useState('')
  const [taken, setTaken] = useState<Taken>()
  // Kept for the next one.
  const [known, setKnown] = useState('')
  const save = async (params: Record<string, unknown>) => {
    const recipient = String(params['recipient'])
    setBegan(new Date().toISOString())
    const next = await takenFrom(await backup.mutateAsync({ recipient }))
    if (taken !== undefined) URL.revokeObjectURL(taken.url)
    setTaken(next)
    setKnown(recipient)
    download(next)
  }
  return (
    <Panel title="Back up svc itself">
      <div className="flex flex-col gap-4">
        <p className="text-sm text-muted">
          One file with the records, settings, tokens, users and Secrets that svc keeps; not the data of databases,
          volumes and buckets. It is sealed to a public key of age, and only the holder of the key can read it. svc
          keeps neither the file nor a list of such files: the newest one is the one that you saved last.
        </p>
        <EditForm
          whole
          button="Back up and download"
          done="Downloaded"
          schema={platformOperations['platform.backup'].params}
          save={save}
          values={{ recipient: known }}
          fields={[
            {
              name: 'recipient',
              label: 'Public key',
              placeholder: 'age1…',
              hint: 'As svc platform key or age-keygen prints it; the key itself stays with you',
            },
          ]}
        />
        {backup.isPending && (
          <p role="status" className="text-sm text-pending">
            Reading every record and sealing the file, for <Lasting from={began} />
          </p>
        )}
        {taken !== undefined && !backup.isPending && <TakenFile taken={taken} />}
      </div>
    </Panel>
  )
}

function TakenFile({ taken: { id, at, entries, sha256, bytes, fileName, url, isChecked } }: { taken: Taken }) {
  return (
    <section aria-label="The backup" className="flex flex-col gap-3 rounded border border-line p-4">
      <Facts
        rows={[
          ['Backup', <Copyable key="id" text={id} what="the id" />],
          ['Made', exactTime(at)],
          ['Holds', `${entries} objects in ${(bytes / 1024).toFixed(1)} KiB`],
          ['SHA-256', <Copyable key="sha256" text={sha256} what="the checksum" />],
          ['Checked', isChecked ? 'The file has this checksum' : 'Not here: compare the checksum with sha256sum'],
        ]}
      />
      <div>
        <a href={url} download={fileName} className={buttonClass('plain', true)}>
          Download it again
        </a>
      </div>
    </section>
  )
}

function BringBack() {
  const at = new URL('./', document.baseURI).origin
  return (
    <Panel title="Bring a backup back">
      <div className="flex flex-col gap-4 text-sm">
        <p className="text-muted">
          Into an empty cluster alone: one with projects of another origin is refused. The file is opened where its key
          is, on your machine and by the command line, so that the key is never typed into a page.
        </p>
        <ol className="flex list-decimal flex-col gap-3 pl-5">
          <Step text="svc platform check svc.age --key svc-recovery.key">
            See that the file opens, and what it holds. It asks nothing of svc.
          </Step>
          <Step text={`svc platform restore svc.age --key svc-recovery.key --url ${at}`}>
            Bring it back, signed in as an admin of the empty install. When it stops half-way, the same command goes on.
          </Step>
        </ol>
      </div>
    </Panel>
  )
}

function Step({ text, children }: { text: string; children: ReactNode }) {
  return (
    <li>
      {children}
      <span className="mt-1 flex min-w-0">
        <Copyable text={text} what="the command" />
      </span>
    </li>
  )
}

/** @throws when the answer is not whole */
async function takenFrom({ file, ...said }: View<'platform.backup'>): Promise<Taken> {
  const bytes = Uint8Array.from(atob(file), (each) => each.charCodeAt(0))
  const isChecked = window.isSecureContext
  if (isChecked && (await sha256Of(bytes)) !== said.sha256)
    throw new Error('the answer is not whole: nothing was downloaded')
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
  return { ...said, bytes: bytes.length, url, isChecked, fileName: `svc-${said.at.slice(0, 10)}-${said.id}.age` }
}

async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return [...new Uint8Array(digest)].map((each) => each.toString(16).padStart(2, '0')).join('')
}

function download({ url, fileName }: Taken): void {
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
}
