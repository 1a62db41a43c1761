/** The fields of a database or bucket that is made in a cloud account of its project instead of the cluster. */
import { useRead } from '../data/queries.ts'
import type { FormField, FormValues } from '../ui/form-field.ts'
import type { Place } from './create-fields.ts'

interface InCloud {
  /** None where the project has no connection that fits. */
  readonly fields: readonly FormField[]
  /** What the choice of a connection means besides. */
  readonly placed: (params: Readonly<Record<string, unknown>>) => {
    placement?: 'External'
    provider?: 'AWS' | 'PlanetScale'
  }
}

export const isInCloud = ({ connectionRef = '' }: FormValues): boolean => connectionRef !== ''

const isProvider = (word: string): word is 'AWS' | 'PlanetScale' => word === 'AWS' || word === 'PlanetScale'

/** `providers`: those whose accounts can hold what is made. */
export function useInCloud({ project }: Place, providers: readonly string[]): InCloud {
  const all = useRead('cloud-connections.list', {}).data?.items ?? []
  const found = all.filter((each) => each.project === project && providers.includes(each.provider))
  const providerOf = (name: unknown) => found.find((each) => each.name === name)?.provider ?? ''
  return {
    fields:
      found.length === 0
        ? []
        : [
            {
              name: 'connectionRef',
              label: 'Where',
              kind: 'select',
              options: [
                ['', 'on this cluster'],
                ...found.map(({ name, provider, account }): [string, string] => [
                  name,
                  `${provider}: ${account === '' ? name : account}`,
                ]),
              ],
            },
          ],
    placed({ connectionRef }) {
      const provider = providerOf(connectionRef)
      return isProvider(provider) ? { placement: 'External', provider } : {}
    },
  }
}
