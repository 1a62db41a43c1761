/** Calling a function by hand: one request where it runs, and its answer whatever the status is. */
import { useState } from 'react'
import { appOperations } from '../../../contract/apps/operations.ts'
import { functionMethods } from '../../../contract/fields/words.ts'
import { functionAnswerBytes, functionCallSeconds, requestBodyBytes } from '../../../contract/limits.ts'
import type { View } from '../../../contract/operations.ts'
import { call } from '../../data/api.ts'
import { useRead } from '../../data/queries.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { EditForm } from '../../ui/edit-form.tsx'
import type { FormField } from '../../ui/form-field.ts'
import { bytesText } from '../../ui/meter.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Facts, Panel } from '../../ui/panel.tsx'
import { StateWord } from '../../ui/state.tsx'
import type { ServiceProps } from '../service-props.ts'

interface Answered extends View<'apps.invoke'> {
  /** From the click to the answer, through svc. */
  readonly ms: number
}

const firstError = 400
/** Characters of a body that are drawn. */
const drawnMax = 20_000

const fields: readonly FormField[] = [
  { name: 'method', label: 'Method', kind: 'select', options: functionMethods.map((each) => [each, each]) },
  { name: 'path', label: 'Path', hint: 'With its query' },
  {
    name: 'data',
    label: 'Body',
    kind: 'area',
    hint: `Sent as JSON where it is some, else as text; ${bytesText(requestBodyBytes)} at most`,
  },
]

export function Invoke({ app, detail: { resource } }: ServiceProps) {
  const status = useRead('apps.status', { app }).data
  const [answered, setAnswered] = useState<Answered>()
  const why =
    resource.state === 'draft'
      ? 'Deploy the function before you call it'
      : status?.scaleToZero?.active === true
        ? 'It sleeps when idle: call it at its public address, which wakes it'
        : undefined
  return (
    <Panel title="Call it" note={`waits ${functionCallSeconds} s at most`}>
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
        <div className="flex flex-col gap-4">
          {why !== undefined && <Notice kind="info">{why}.</Notice>}
          <EditForm
            whole
            button="Call"
            done=""
            why={why}
            schema={appOperations['apps.invoke'].params}
            values={{ method: 'GET', path: '/', data: '' }}
            fields={fields}
            save={async (params) => {
              setAnswered(undefined)
              const begun = performance.now()
              // The form judged the fields by the schema of this operation.
              const answer = await call('apps.invoke', { app, ...params })
              setAnswered({ ...answer, ms: Math.round(performance.now() - begun) })
            }}
          />
        </div>
        <section aria-label="Answer" aria-live="polite" className="min-w-0">
          {answered === undefined ? (
            <p className="text-sm text-muted">
              The answer will be here: its status, content type and body. Of a longer one the first{' '}
              {bytesText(functionAnswerBytes)} are read.
            </p>
          ) : (
            <Answer answered={answered} />
          )}
        </section>
      </div>
    </Panel>
  )
}

function Answer({ answered: { status, contentType, body, truncated, ms } }: { answered: Answered }) {
  return (
    <div className="flex flex-col gap-3">
      <Facts
        rows={[
          [
            'Status',
            <StateWord key="status" state={status >= firstError ? 'failed' : 'ready'} word={String(status)} />,
          ],
          ['Took', <span key="took" className="tabular-nums">{`${ms} ms, through svc`}</span>],
          ['Content type', contentType === '' ? 'none' : contentType],
          ['Size', bytesText(new Blob([body]).size)],
        ]}
      />
      {truncated && (
        <Notice kind="warning">It was longer: only the first {bytesText(functionAnswerBytes)} were read.</Notice>
      )}
      {body.length > drawnMax && (
        <p className="text-xs text-muted">
          Its first {drawnMax.toLocaleString('en')} characters are shown; copying takes all that were read.
        </p>
      )}
      {body !== '' && (
        <div className="relative">
          <pre
            tabIndex={0}
            role="group"
            aria-label="Body of the answer"
            className="max-h-96 overflow-auto rounded border border-line bg-subtle p-3 pr-10 font-mono text-xs"
          >
            {body.slice(0, drawnMax)}
          </pre>
          <span className="absolute top-2 right-2">
            <CopyButton text={body} what="the body" />
          </span>
        </div>
      )}
    </div>
  )
}
