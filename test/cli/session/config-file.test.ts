/** The file of saved logins: its place, its modes, and what happens when it is damaged. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { configPath } from '../../../cli/session/at-start.ts'
import { readConfig, writeConfig } from '../../../cli/session/config-file.ts'

const config = { currentContext: 'prod', contexts: { prod: { url: 'https://svc.example.com', token: 'svw_a_b' } } }
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)

describe('config file', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-config-'))
  })
  afterEach(async () => await rm(folder, { recursive: true, force: true }))

  it('lies in the user configuration directory unless SVC_CONFIG says otherwise', () => {
    expect(configPath({ SVC_CONFIG: '/x/y.json', HOME: '/home/me' })).to.equal('/x/y.json')
    if (process.platform !== 'linux') return
    expect(configPath({ HOME: '/home/me' })).to.equal('/home/me/.config/svc/config.json')
    expect(configPath({ HOME: '/home/me', XDG_CONFIG_HOME: '/conf' })).to.equal('/conf/svc/config.json')
  })
  it('is written 0600 in a folder of 0700, whatever the umask', async () => {
    const path = join(folder, 'svc', 'config.json')
    const umask = process.umask(0)
    try {
      await writeConfig(path, config)
    } finally {
      process.umask(umask)
    }
    expect([await modeOf(path), await modeOf(dirname(path))]).to.deep.equal(['600', '700'])
    expect(await readConfig(path)).to.deep.equal(config)
  })
  it('narrows what was wider before', async () => {
    const path = join(folder, 'svc', 'config.json')
    await mkdir(dirname(path))
    await writeFile(path, '{}')
    await chmod(path, 0o644)
    await chmod(dirname(path), 0o755)
    await writeConfig(path, config)
    expect([await modeOf(path), await modeOf(dirname(path))]).to.deep.equal(['600', '700'])
  })
  it('leaves the modes of a foreign folder alone', async () => {
    await chmod(folder, 0o755)
    await writeConfig(join(folder, 'mine.json'), config)
    expect([await modeOf(folder), await modeOf(join(folder, 'mine.json'))]).to.deep.equal(['755', '600'])
    expect(await readdir(folder)).to.deep.equal(['mine.json'])
  })
  it('is empty before the first login', async () => {
    expect(await readConfig(join(folder, 'none.json'))).to.deep.equal({ contexts: {} })
  })
  for (const text of [
    '{"contexts": {"a": {"token": "svw_secret"}}}',
    'svw_secret',
    '[]',
    '{"contexts": []}',
    '{"currentContext": 1}',
  ]) {
    it(`is refused when it holds ${text}, which is not repeated`, async () => {
      const path = join(folder, 'broken.json')
      await writeFile(path, text)
      const message = await readConfig(path).then(
        () => '',
        (error: Error) => error.message,
      )
      expect(message).to.include(path).and.not.include('svw_secret')
      expect(await readFile(path, 'utf8')).to.equal(text)
    })
  }
})
