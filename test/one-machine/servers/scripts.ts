/** The test's own catalogue of servers: real names, whose programs are scripts. */
import type { Download, Server } from '../../../one-machine/servers/server.ts'

export const name = 'etcd'
export const version = '1.2.3'
export const program = (text: string): string => `#!/bin/sh\necho ${text} version v${version}\n`

export const entry = (download?: Download): Server => ({
  version,
  group: 'fake',
  package: 'example.org/fake',
  variables: ['main.version=1.2.3'],
  versionArguments: ['--version'],
  buildSeconds: 60,
  ...(download === undefined ? {} : { download: () => download }),
})
