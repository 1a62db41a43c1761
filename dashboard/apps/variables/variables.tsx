/**
 * Variables of a service: plain ones with their values, secrets by name alone, references; all with the next deploy.
 */
import { useState, type FormEvent } from 'react'
import { appOperations } from '../../../contract/apps/operations.ts'
import { sentenceOf } from '../../data/api.ts'
import { useEdit, useRead, useWrite } from '../../data/queries.ts'
import { useMe } from '../../data/session.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { EditForm } from '../../ui/edit-form.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { Empty, Notice } from '../../ui/notice.tsx'
import { NameCell, Panel, Table } from '../../ui/panel.tsx'
import { Shown } from '../../ui/read.tsx'
import { RemoveButton } from '../../ui/remove.tsx'
import { listOf, textOf, type Spec } from '../../ui/spec.ts'
import { ChooseShared } from './choose-shared.tsx'
import { readEnv } from './env-lines.ts'
import type { ServiceProps } from '../service-props.ts'
import { PasteEnv } from './paste-env.tsx'

export function Variables({ app, detail: { resource, spec } }: ServiceProps) {
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
            <PlainVariables app={app} config={config} saved={savedOf(spec)} />
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
                chosen={listOf(spec, 'sharedVariableRefs').map(String)}
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
                      <NameCell className="font-mono text-xs">{name}</NameCell>
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
  /** The same, of the very record whose version a save insists on. */
  readonly saved: Record<string, string>
}

const savedOf = (spec: Spec): Record<string, string> =>
  Object.fromEntries(Object.entries(spec['configData'] ?? {}).map(([name, value]) => [name, String(value)]))

function PlainVariables({ app, config, saved }: PlainProps) {
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
        <Raw app={app} config={saved} onDone={asTable} />
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
      <NameCell className="font-mono text-xs">{name}</NameCell>
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
      <NameCell className="font-mono text-xs">{name}</NameCell>
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

/** What is left out here is deleted by the save; what others set meanwhile is asked about before. */
function Raw({ app, config, onDone }: { app: string; config: Record<string, string>; onDone: () => void }) {
  const edit = useEdit('apps.config-raw', 'apps.get', { app })
  const lines = Object.entries(config).map(([key, value]) => `${key}=${value}`)
  return (
    <div className="flex flex-col gap-4">
      <EditForm
        button="Replace all"
        schema={appOperations['apps.config-raw'].params}
        {...edit}
        values={{ config: lines.join('\n') }}
        fields={[
          {
            name: 'config',
            label: 'All plain variables',
            kind: 'area',
            hint: 'NAME=value, one a line, as in a .env file. It replaces all of them: a name that is not here is deleted.',
          },
        ]}
        foresee={(params) => <Deleted config={config} text={textOf(params, 'config')} />}
        save={async (params, version) => {
          await edit.save(params, version)
          onDone()
        }}
      />
      <div>
        <Button onClick={onDone}>Back to the table</Button>
      </div>
    </div>
  )
}

function Deleted({ config, text }: { config: Record<string, string>; text: string }) {
  const kept = new Set(readEnv(text).found.map(([name]) => name))
  const gone = Object.keys(config).filter((name) => !kept.has(name))
  return gone.length === 0 ? null : <Notice kind="warning">Before you save: this deletes {gone.join(', ')}.</Notice>
}
