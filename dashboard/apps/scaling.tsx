/** Live settings: copies, autoscaling, sleep, host and TLS. A save applies at once, without a deploy. */
import { appOperations } from '../../contract/apps/operations.ts'
import { useRead } from '../data/queries.ts'
import { EditForm } from '../ui/edit-form.tsx'
import { Notice } from '../ui/notice.tsx'
import { live, Panel } from '../ui/panel.tsx'
import { flagOf, isThere, textOf } from '../ui/spec.ts'
import type { ServiceProps } from './service-props.ts'
import { useSettings } from './use-settings.ts'

const schema = appOperations['apps.update'].params

export function Scaling(props: ServiceProps) {
  return (
    <div className="flex max-w-3xl flex-col gap-5">
      <Copies {...props} />
      <Sleep {...props} />
      <Address {...props} />
    </div>
  )
}

function Copies({ app, detail: { spec } }: ServiceProps) {
  const edit = useSettings(app)
  return (
    <Panel title="Copies" actions={live}>
      <EditForm
        button="Apply"
        done="Applied"
        {...edit}
        schema={schema}
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
  const edit = useSettings(app)
  const sleepSays = useRead('apps.status', { app }).data?.scaleToZero?.message
  return (
    <Panel title="Sleep when idle" actions={live}>
      {sleepSays !== undefined && (
        <div className="mb-4">
          <Notice kind="warning">Saved, but not active: {sleepSays}</Notice>
        </div>
      )}
      <EditForm
        button="Apply"
        done="Applied"
        {...edit}
        schema={schema}
        values={{
          scaleToZero: flagOf(spec, 'scaleToZero.enabled'),
          idleSeconds: textOf(spec, 'scaleToZero.idleSeconds'),
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
        ]}
      />
    </Panel>
  )
}

function Address({ app, detail: { spec } }: ServiceProps) {
  const edit = useSettings(app)
  return (
    <Panel title="Public address" actions={live}>
      <EditForm
        button="Apply"
        done="Applied"
        {...edit}
        schema={schema}
        values={{ host: textOf(spec, 'ingress.host'), tls: flagOf(spec, 'ingress.tlsEnabled') }}
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
