/** The endpoints of clouds, from environment variables. */
import type { Clouds } from '../../activities/context/needs.ts'
import { awsSettings, createAws } from '../../outside/aws/account.ts'
import { createPlanetScale, planetScaleSettings } from '../../outside/planetscale/planetscale.ts'

/** See awsSettings and planetScaleSettings; without any setting, AWS and PlanetScale themselves. */
export function cloudsOf(env: Readonly<Record<string, string | undefined>>): Clouds {
  return { aws: createAws(awsSettings(env)), planetScale: createPlanetScale(planetScaleSettings(env)) }
}
