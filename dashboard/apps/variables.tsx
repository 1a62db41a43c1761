/**
 * Variables of a service: plain ones with their values, secrets by name alone, references; all with the next deploy.
 */
import { useState, type FormEvent } from 'react'
import { sentenceOf } from '../data/api.ts'
import { useRead, useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { CheckField, TextArea, TextField } from '../ui/field.tsx'
import { Empty, Notice } from '../ui/notice.tsx'
import { Panel, Table } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { RemoveButton } from '../ui/remove.tsx'
import { ChooseShared } from './choose-shared.tsx'
import type { ServiceProps } from './service-props.ts'
import { PasteEnv } from './paste-env.tsx'

export function Variables({ app, detail: { resource } }: ServiceProps) {
  const { canMutate, role } = useMe()
  const variables = useRead('apps.variables', { app }, { enabled: role === 'admin' })
  if (role !== 'admin')
    return (
      <Empty title="Not for your role">Variables are for administrators and observers; you read the overview.</Empty>
    )
  return (
    <div className="flex flex-col gap-5">
      {canMutate && <Add app={app} />}
      <Shown of={variables} what="the variables">
        {({ config, secrets, env, sharedVariableRefs }) => (
          <>
            <PlainVariables app={app} config={config} />
            <Panel title="Secret variables" note="values are never shown again" flush>
              {secrets.length === 0 ? (
                <p className="p-4 text-sm text-muted">None.</p>
              ) : (
                <Table label="Secret variables" head={['Name', 'Value', '']}>
                  {secrets.map((key) => (
                    <Row key={key} app={app} name={key} value={undefined} secret />
                  ))}
                </Table>
              )}
            </Panel>
            {canMutate && (
              <ChooseShared
                app={app}
                project={resource.project}
                environment={resource.environment}
                chosen={sharedVariableRefs}
              />
            )}
            {(env.length > 0 || sharedVariableRefs.length > 0) && (
              <Panel title="References and shared variables" flush>
                <Table label="References and shared variables" head={['Name', 'From', '']}>
                  {env.map(({ name, kind }) => (
                    <Reference key={name} app={app} name={name} kind={kind} />
                  ))}
                  {sharedVariableRefs.map((name) => (
                    <tr key={name}>
                      <td className="font-mono text-xs">{name}</td>
                      <td className="text-muted">shared by the project</td>
                      <td />
                    </tr>
                  ))}
                </Table>
              </Panel>
            )}
          </>
        )}
      </Shown>
    </div>
  )
}

interface PlainProps {
  readonly app: string
  readonly config: Record<string, string>
}

function PlainVariables({ app, config }: PlainProps) {
  const { canMutate } = useMe()
  const [way, setWay] = useState<'table' | 'paste' | 'raw'>('table')
  const asTable = () => setWay('table')
  return (
    <Panel
      title="Plain variables"
      note="with the next deploy"
      flush={way === 'table'}
      actions={
        canMutate &&
        (way === 'table' ? (
          <span className="flex gap-2">
            <Button small onClick={() => setWay('paste')}>
              Paste a .env
            </Button>
            <Button small onClick={() => setWay('raw')}>
              Edit all as text
            </Button>
          </span>
        ) : (
          <Button small onClick={asTable}>
            As a table
          </Button>
        ))
      }
    >
      {way === 'raw' ? (
        <Raw app={app} config={config} onDone={asTable} />
      ) : way === 'paste' ? (
        <PasteEnv app={app} config={config} onDone={asTable} />
      ) : Object.keys(config).length === 0 ? (
        <div className="p-4">
          <Empty title="None yet">Add one above, or paste the lines of a .env file.</Empty>
        </div>
      ) : (
        <Table label="Plain variables" head={['Name', 'Value', '']}>
          {Object.entries(config).map(([key, value]) => (
            <Row key={key} app={app} name={key} value={value} secret={false} />
          ))}
        </Table>
      )}
    </Panel>
  )
}

function Add({ app }: { app: string }) {
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  const [secret, setSecret] = useState(false)
  const config = useWrite('apps.config-set')
  const secrets = useWrite('apps.secrets-set')
  const write = secret ? secrets : config
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const onSuccess = () => {
      setKey('')
      setValue('')
    }
    if (secret) secrets.mutate({ app, key, value }, { onSuccess })
    else config.mutate({ app, key, value }, { onSuccess })
  }
  return (
    <Panel title="Set a variable">
      <form onSubmit={submit} className="grid items-start gap-4 sm:grid-cols-[1fr_2fr_auto]">
        <TextField
          label="Name"
          placeholder="LOG_LEVEL"
          className="font-mono"
          value={key}
          onChange={(event) => setKey(event.target.value)}
          error={write.isError ? sentenceOf(write.error) : undefined}
        />
        <TextField
          label="Value"
          type={secret ? 'password' : 'text'}
          autoComplete={secret ? 'new-password' : 'off'}
          className="font-mono"
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
        <Button kind="primary" type="submit" busy={write.isPending} className="sm:mt-6">
          Set
        </Button>
        <div className="sm:col-span-3">
          <CheckField
            label="Secret"
            hint="Kept encrypted, and never shown again"
            checked={secret}
            onChange={(event) => setSecret(event.target.checked)}
          />
        </div>
      </form>
    </Panel>
  )
}

function Row({ app, name, value, secret }: { app: string; name: string; value: string | undefined; secret: boolean }) {
  const { canMutate } = useMe()
  const config = useWrite('apps.config-delete')
  const secrets = useWrite('apps.secrets-delete')
  return (
    <tr>
      <td className="font-mono text-xs whitespace-nowrap">{name}</td>
      <td className="w-full max-w-0 font-mono text-xs">
        {value === undefined ? (
          <span className="font-sans text-muted">hidden</span>
        ) : (
          <span className="flex items-center gap-1">
            <span className="truncate" title={value}>
              {value}
            </span>
            <CopyButton text={value} what={`the value of ${name}`} />
          </span>
        )}
      </td>
      <td className="text-right">
        {canMutate && (
          <RemoveButton name={name} act={() => (secret ? secrets : config).mutateAsync({ app, key: name })}>
            {`${secret ? 'Its value cannot be read or brought back. ' : ''}What runs keeps it until a deploy.`}
          </RemoveButton>
        )}
      </td>
    </tr>
  )
}

function Reference({ app, name, kind }: { app: string; name: string; kind: string }) {
  const { canMutate } = useMe()
  const remove = useWrite('apps.env-delete')
  return (
    <tr>
      <td className="font-mono text-xs">{name}</td>
      <td className="text-muted">{kind}</td>
      <td className="text-right">
        {canMutate && (
          <RemoveButton name={name} act={() => remove.mutateAsync({ app, name })}>
            The service no longer refers to it. What runs keeps it until a deploy.
          </RemoveButton>
        )}
      </td>
    </tr>
  )
}

/** What is left out here is deleted by the save. */
function Raw({ app, config, onDone }: { app: string; config: Record<string, string>; onDone: () => void }) {
  const [text, setText] = useState(() =>
    Object.entries(config)
      .map(([key, value]) => `${key}=${value}`)
      .join('\n'),
  )
  const save = useWrite('apps.config-raw')
  return (
    <div className="flex flex-col gap-4">
      <TextArea
        label="All plain variables"
        hint="NAME=value, one a line, as in a .env file. It replaces all of them: a name that is not here is deleted."
        rows={12}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {save.isError && <Notice kind="failed">{sentenceOf(save.error)}</Notice>}
      <div className="flex gap-2">
        <Button
          kind="primary"
          busy={save.isPending}
          onClick={() => save.mutate({ app, config: text }, { onSuccess: onDone })}
        >
          Replace all
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </div>
  )
}
