/** Settings that wait for a deploy: what runs, how large a copy is, how it is started and probed. */
import { appOperations } from '../../contract/apps/operations.ts'
import { runtimes } from '../../contract/fields/words.ts'
import { useEdit } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { EditForm } from '../ui/edit-form.tsx'
import type { FormField } from '../ui/form-field.ts'
import { codeHint, functionModeWords } from '../ui/functions.ts'
import { buildFields } from '../ui/git-fields.ts'
import { rootField, tagsField, volumeFields } from '../ui/image-fields.ts'
import { Notice, SettingsHidden } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { flagOf, isThere, linesOf, textOf, type Spec } from '../ui/spec.ts'
import { DeployKeyPanel } from './builds/deploy-key.tsx'
import type { ServiceProps } from './service-props.ts'
import { PushesPanel } from './builds/pushes.tsx'
import { useSettings } from './use-settings.ts'

const probeNumbers = [
  ['Port', 'port', 'port'],
  ['Period', 'every (s)', 'periodSeconds'],
  ['Timeout', 'an answer takes at most (s)', 'timeoutSeconds'],
  ['FailureThreshold', 'misses in a row that count', 'failureThreshold'],
] as const

const probeFields = (name: 'readiness' | 'liveness', what: string): FormField[] => [
  { name: `${name}Path`, label: `${what}: path`, placeholder: '/healthz', hint: 'Left empty, there is none' },
  ...probeNumbers.map(([end, words]): FormField => ({
    name: `${name}${end}`,
    label: `${what}: ${words}`,
    kind: 'number',
    when: (values) => values[`${name}Path`] !== '',
  })),
]

const probeValues = (spec: Spec, name: 'readiness' | 'liveness') => ({
  [`${name}Path`]: textOf(spec, `deploy.${name}Probe.path`),
  ...Object.fromEntries(
    probeNumbers.map(([end, , field]) => [`${name}${end}`, textOf(spec, `deploy.${name}Probe.${field}`)]),
  ),
})

const portField: FormField = {
  name: 'port',
  label: 'Port',
  kind: 'number',
  hint: 'The one that the container listens on',
}

const functionFields: readonly FormField[] = [
  { name: 'functionRuntime', label: 'Runtime', kind: 'select', options: runtimes.map((each) => [each, each]) },
  { name: 'functionMode', label: 'Called with', kind: 'select', options: functionModeWords },
  { name: 'functionCode', label: 'Code', kind: 'area', hint: codeHint },
]

const schema = appOperations['apps.update'].params

export function Settings(props: ServiceProps) {
  const { canMutate } = useMe()
  return (
    <div className="flex max-w-3xl flex-col gap-5">
      <Notice kind="info">
        These settings take effect with the next deploy, unless they say otherwise. Those under “Scaling and network”
        apply at once.
      </Notice>
      {!canMutate && <Notice kind="warning">You see them as they are; only administrators change them.</Notice>}
      <NamePanel {...props} />
      {canMutate ? (
        <SourcePanel {...props} />
      ) : (
        <Panel title="Source">
          <SettingsHidden />
        </Panel>
      )}
      {canMutate && props.detail.resource.details.source === 'git' && <BuildPanel {...props} />}
      {canMutate && props.detail.resource.details.source === 'git' && <PushesPanel {...props} />}
      {canMutate && props.detail.resource.details.source === 'git' && <DeployKeyPanel app={props.app} />}
      <SizePanel {...props} />
      <StartPanel {...props} />
      <NodesPanel {...props} />
      {props.detail.resource.details.source !== 'function' && <VolumePanel {...props} />}
      {props.detail.resource.details.source !== 'function' && <RightsPanel {...props} />}
    </div>
  )
}

function NamePanel({ app, detail: { resource } }: ServiceProps) {
  const { why } = useSettings(app)
  const edit = useEdit('apps.display-name', 'apps.get', { app })
  return (
    <Panel title="Name">
      <EditForm
        button="Save the name"
        {...edit}
        why={why}
        schema={appOperations['apps.display-name'].params}
        values={{ displayName: resource.displayName === resource.name ? '' : resource.displayName }}
        fields={[
          {
            name: 'displayName',
            label: 'Label',
            hint: `Shown instead of ${resource.name}; applies at once`,
            placeholder: resource.name,
          },
        ]}
      />
    </Panel>
  )
}

function SourcePanel({ app, detail: { spec, resource } }: ServiceProps) {
  const edit = useSettings(app)
  const { source } = resource.details
  return (
    <Panel title="Source">
      <EditForm
        button="Save"
        {...edit}
        schema={schema}
        values={{
          image: textOf(spec, 'source.image.image'),
          repository: textOf(spec, 'source.git.repository'),
          branch: textOf(spec, 'source.git.branch'),
          buildVariables: linesOf(spec, 'build.variables'),
          functionRuntime: textOf(spec, 'source.function.runtime'),
          functionMode: textOf(spec, 'source.function.mode'),
          functionCode: textOf(spec, 'source.function.code'),
          port: textOf(spec, 'port'),
        }}
        fields={[
          ...(source === 'image' ? [{ name: 'image', label: 'Image' }] : []),
          ...(source === 'git'
            ? [
                { name: 'repository', label: 'Repository' },
                { name: 'branch', label: 'Branch' },
                {
                  name: 'buildVariables',
                  label: 'Variables of builds',
                  kind: 'lines' as const,
                  hint: 'Names of its variables, one a line; builds get no other. Plain ones may end in the image',
                },
              ]
            : []),
          ...(source === 'function' ? functionFields : [portField]),
        ]}
      />
    </Panel>
  )
}

function BuildPanel({ app, detail: { spec } }: ServiceProps) {
  const edit = useSettings(app)
  return (
    <Panel title="Build">
      <EditForm
        button="Save"
        {...edit}
        schema={schema}
        values={{
          dockerfile: textOf(spec, 'source.git.dockerfile'),
          context: textOf(spec, 'source.git.context'),
          waitForCI: flagOf(spec, 'source.git.waitForCI'),
          buildCache: !isThere(spec, 'build.cache') || flagOf(spec, 'build.cache'),
        }}
        fields={[
          ...buildFields,
          { name: 'buildCache', label: 'Keep the layers of a build for the next one', kind: 'check' },
        ]}
      />
    </Panel>
  )
}

function SizePanel({ app, detail: { spec } }: ServiceProps) {
  const edit = useSettings(app)
  return (
    <Panel title="Size of a copy">
      <EditForm
        button="Save"
        {...edit}
        schema={schema}
        values={{ cpu: textOf(spec, 'resources.requests.cpu'), memory: textOf(spec, 'resources.requests.memory') }}
        fields={[
          { name: 'cpu', label: 'CPU', hint: 'Cores, as 1, 0.5 or 500m; reserved for each copy' },
          { name: 'memory', label: 'Memory', hint: 'As 512Mi or 2Gi; a copy that takes more is ended' },
        ]}
      />
    </Panel>
  )
}

function VolumePanel({ app, detail: { spec } }: ServiceProps) {
  const edit = useSettings(app)
  return (
    <Panel title="Volume">
      <EditForm
        button="Save"
        {...edit}
        schema={schema}
        values={{ volumePath: textOf(spec, 'volume.path'), volumeSize: textOf(spec, 'volume.size') }}
        fields={volumeFields}
      />
    </Panel>
  )
}

function NodesPanel({ app, detail: { spec } }: ServiceProps) {
  const edit = useSettings(app)
  return (
    <Panel title="Nodes" note="those that its copies may run on">
      <EditForm
        button="Save"
        {...edit}
        schema={schema}
        values={{ runOnTags: linesOf(spec, 'runOn.tags') }}
        fields={[tagsField]}
      />
    </Panel>
  )
}

function RightsPanel({ app, detail: { spec } }: ServiceProps) {
  const edit = useSettings(app)
  return (
    <Panel title="Rights">
      <EditForm
        button="Save"
        {...edit}
        schema={schema}
        values={{ runAsRoot: flagOf(spec, 'runAsRoot') }}
        fields={[rootField]}
      />
    </Panel>
  )
}

function StartPanel({ app, detail: { spec } }: ServiceProps) {
  const edit = useSettings(app)
  return (
    <Panel title="Start and probes">
      <EditForm
        button="Save"
        {...edit}
        schema={schema}
        values={{
          command: linesOf(spec, 'build.command'),
          args: linesOf(spec, 'build.args'),
          workingDir: textOf(spec, 'build.workingDir'),
          ...probeValues(spec, 'readiness'),
          ...probeValues(spec, 'liveness'),
        }}
        fields={[
          {
            name: 'command',
            label: 'Command',
            kind: 'lines',
            hint: 'One word a line; left empty, that of the image',
          },
          { name: 'args', label: 'Arguments', kind: 'lines', hint: 'One word a line' },
          { name: 'workingDir', label: 'Working directory' },
          ...probeFields('readiness', 'Readiness probe'),
          ...probeFields('liveness', 'Liveness probe'),
        ]}
      />
    </Panel>
  )
}
