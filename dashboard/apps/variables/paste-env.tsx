/** The lines of a .env file, added to the plain variables: a name that is there already gets the new value. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { appOperations } from '../../../contract/apps/operations.ts'
import { call, sentenceOf } from '../../data/api.ts'
import { readAfter } from '../../data/own-writes.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { readEnv, type EnvLines } from './env-lines.ts'

const { key } = appOperations['apps.config-set'].params.shape

interface Props {
  readonly app: string
  readonly config: Readonly<Record<string, string>>
  readonly onDone: () => void
}

export function PasteEnv({ app, config, onDone }: Props) {
  const [text, setText] = useState('')
  const save = useAdd(app, onDone)
  const { found, unread } = readEnv(text)
  const changed = found.filter(([name]) => config[name] !== undefined)
  const refused = found.flatMap(([name]) => {
    const { error } = key.safeParse(name)
    return error === undefined ? [] : [`${name}: ${error.issues[0]?.message ?? 'not valid'}`]
  })
  const wrong = [...unread.map((line) => `${line}: no NAME=value`), ...refused]
  const why =
    found.length === 0 ? 'No NAME=value is there yet' : wrong.length > 0 ? 'Some lines cannot be taken' : undefined
  return (
    <div className="flex flex-col gap-4">
      <TextArea
        label="Lines of a .env file"
        hint="NAME=value, one a line; comments, quotes and export are understood. What is not here stays as it is."
        rows={8}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {wrong.length > 0 && <Notice kind="warning">{wrong.join('; ')}.</Notice>}
      {found.length > 0 && (
        <p role="status" className="text-sm text-muted">
          Adds {found.length - changed.length}
          {changed.length > 0 && `, and gives ${changed.map(([name]) => name).join(', ')} another value`}.
        </p>
      )}
      {save.isError && (
        <Notice kind="failed">{sentenceOf(save.error)}. What stands before it was added; the rest was not.</Notice>
      )}
      <div className="flex gap-2">
        <Button kind="primary" busy={save.isPending} why={why} onClick={() => save.mutate(found)}>
          Add them
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </div>
  )
}

/** One after the other, each by itself: what others set meanwhile stays. */
function useAdd(app: string, onDone: () => void) {
  return useMutation<void, Error, EnvLines['found']>({
    retry: false,
    networkMode: 'always',
    async mutationFn(found) {
      for (const [name, value] of found) await call('apps.config-set', { app, key: name, value })
    },
    onSuccess: onDone,
    onSettled: () => readAfter('apps.config-set', { app }),
  })
}
