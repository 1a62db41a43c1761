/** The message of a ready service whose volume is almost full (docs/reference/services.md#volumes). */
import type { App } from '../../kinds/apps/kind.ts'
import { volumeTrouble } from '../../kinds/apps/spec/volume.ts'
import type { Needs } from '../context/needs.ts'

type Volumes = Pick<Needs, 'fullVolumes'>

/** '' without trouble. A service without a volume does not wait for the metrics store. */
export async function troubleOf({ fullVolumes }: Volumes, app: App): Promise<string> {
  return app.status?.volume === undefined ? '' : volumeTrouble(app, await fullVolumes())
}

/** As `troubleOf`, for all services with a volume, by name; those without trouble are left out. */
export async function troublesOf({ fullVolumes }: Volumes, apps: readonly App[]): Promise<ReadonlyMap<string, string>> {
  const full = apps.length === 0 ? [] : await fullVolumes()
  if (full.length === 0) return new Map()
  const said = apps.map((app) => [app.metadata.name, volumeTrouble(app, full)] as const)
  return new Map(said.filter(([, trouble]) => trouble !== ''))
}

/** The view with the message, if it is ready and has no other message. */
export const withTrouble = <View extends { state: string; message: string }>(view: View, trouble = ''): View =>
  trouble === '' || view.state !== 'ready' || view.message !== '' ? view : { ...view, message: trouble }
