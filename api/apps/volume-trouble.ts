/** What services that are ready say of a volume that is almost full (docs/reference/services.md#volumes). */
import type { App } from '../../kinds/apps/kind.ts'
import { volumeTrouble } from '../../kinds/apps/volume.ts'
import type { Needs } from '../context/needs.ts'

type Volumes = Pick<Needs, 'fullVolumes'>

/** '' where nothing is wrong. A service without a volume waits for no answer of the metrics store. */
export async function troubleOf({ fullVolumes }: Volumes, app: App): Promise<string> {
  return app.status?.volume === undefined ? '' : volumeTrouble(app, await fullVolumes())
}

/** The same of all services that have a volume, by their names; those that say nothing are not among them. */
export async function troublesOf({ fullVolumes }: Volumes, apps: readonly App[]): Promise<ReadonlyMap<string, string>> {
  const full = apps.length === 0 ? [] : await fullVolumes()
  if (full.length === 0) return new Map()
  const said = apps.map((app) => [app.metadata.name, volumeTrouble(app, full)] as const)
  return new Map(said.filter(([, trouble]) => trouble !== ''))
}

/** Only of what is ready and has nothing else to say. */
export const withTrouble = <View extends { state: string; message: string }>(view: View, trouble = ''): View =>
  trouble === '' || view.state !== 'ready' || view.message !== '' ? view : { ...view, message: trouble }
