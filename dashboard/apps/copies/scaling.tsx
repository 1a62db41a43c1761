/** Live settings: copies, autoscaling, sleep, host and TLS. A save applies at once, without a deploy. */
import type { ComponentProps } from 'react'
import { appOperations } from '../../../contract/apps/operations.ts'
import { useRead } from '../../data/queries.ts'
import { EditForm } from '../../ui/edit-form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { live, Panel } from '../../ui/panel.tsx'
import { flagOf, isThere, textOf } from '../../ui/spec.ts'
import type { ServiceProps } from '../service-props.ts'
import { useSettings } from '../use-settings.ts'

const schema = appOperations['apps.update'].params

export function Scaling(props: ServiceProps) {
  return (
    <div className="flex max-w-3xl flex-col gap-5">
      <Copies {...props} />
      <Sleep {...props} />
      <Address {...props} />
      <Deploys {...props} />
    </div>
  )
}

/** A form whose save applies at once. */
function LiveForm({ app, ...form }: { app: string } & Pick<ComponentProps<typeof EditForm>, 'values' | 'fields'>) {
  return <EditForm button="Apply" done="Applied" {...useSettings(app)} schema={schema} {...form} />
}

function Copies({ app, detail: { spec } }: ServiceProps) {
  return (
    <Panel title="Copies" actions={live}>
      <LiveForm
        app={app}
        values={{
          replicas: textOf(spec, 'replicas'),
          autoscaling: isThere(spec, 'autoscaling'),
          minReplicas: textOf(spec, 'autoscaling.minReplicas'),
          maxReplicas: textOf(spec, 'autoscaling.maxReplicas'),
          targetCPU: textOf(spec, 'autoscaling.targetCPUUtilization'),
        }}
        fields={[
          { name: 'autoscaling', label: 'Scale with CPU use', kind: 'check' },
          { name: 'replicas', label: 'Copies', kind: 'number', when: ({ autoscaling }) => autoscaling === false },
          { name: 'minReplicas', label: 'At least', kind: 'number', when: ({ autoscaling }) => autoscaling === true },
          { name: 'maxReplicas', label: 'At most', kind: 'number', when: ({ autoscaling }) => autoscaling === true },
          {
            name: 'targetCPU',
            label: 'CPU use to aim at (%)',
            kind: 'number',
            when: ({ autoscaling }) => autoscaling === true,
          },
        ]}
      />
    </Panel>
  )
}

function Sleep({ app, detail: { spec } }: ServiceProps) {
  const sleepSays = useRead('apps.status', { app }).data?.scaleToZero?.message
  return (
    <Panel title="Sleep when idle" actions={live}>
      {sleepSays !== undefined && (
        <div className="mb-4">
          <Notice kind="warning">Saved, but not active: {sleepSays}</Notice>
        </div>
      )}
      <LiveForm
        app={app}
        values={{
          scaleToZero: flagOf(spec, 'scaleToZero.enabled'),
          idleSeconds: textOf(spec, 'scaleToZero.idleSeconds'),
          scaleToZeroMax: textOf(spec, 'scaleToZero.maxReplicas'),
        }}
        fields={[
          {
            name: 'scaleToZero',
            label: 'Stop all copies while no request comes',
            kind: 'check',
            hint: 'The first request starts them again',
          },
          {
            name: 'idleSeconds',
            label: 'After seconds without a request',
            kind: 'number',
            when: ({ scaleToZero }) => scaleToZero === true,
          },
          {
            name: 'scaleToZeroMax',
            label: 'Copies at most while it is awake',
            kind: 'number',
            hint: 'Left empty, the number of copies above',
            when: ({ scaleToZero }) => scaleToZero === true,
          },
        ]}
      />
    </Panel>
  )
}

function Address({ app, detail: { spec } }: ServiceProps) {
  return (
    <Panel title="Public address" actions={live}>
      <LiveForm
        app={app}
        values={{
          host: textOf(spec, 'ingress.host'),
          tls: flagOf(spec, 'ingress.tlsEnabled'),
        }}
        fields={[
          {
            name: 'host',
            label: 'Host',
            placeholder: 'shop.example.com',
            hint: 'Left empty, none of its own; its DNS must lead to the cluster',
          },
          { name: 'tls', label: 'TLS with a certificate', kind: 'check' },
        ]}
      />
    </Panel>
  )
}

function Deploys({ app, detail: { spec } }: ServiceProps) {
  return (
    <Panel title="Deploys" actions={live}>
      <LiveForm
        app={app}
        values={{
          rollbackOnFailure: flagOf(spec, 'deploy.rollbackOnFailure'),
        }}
        fields={[
          {
            name: 'rollbackOnFailure',
            label: 'Take back a deploy that fails',
            kind: 'check',
            hint: 'The release before it is deployed then',
          },
        ]}
      />
    </Panel>
  )
}
