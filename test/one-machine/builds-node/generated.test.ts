/**
 * Repositories without a Dockerfile on a real node: each kind is built by the Dockerfile that svc writes, and answers.
 */
import { expect } from 'chai'
import { join } from 'node:path'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { eventuallyOnNode } from '../../cluster/eventually.ts'
import { pushBases } from './bases.ts'
import { type BuildNode, imagesMs, startBuildNode } from './build-node.ts'

const can = canHaveNode()
const json = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`
const server = `import { createServer } from 'node:http'
import { existsSync } from 'node:fs'
const text = 'node' + (existsSync('built.txt') ? ', built' : '')
createServer((_, answer) => answer.end(text)).listen(Number(process.env.PORT), '0.0.0.0')
`
const manifest = (start: string, more: object = {}) =>
  json({ name: 'app', version: '1.0.0', type: 'module', scripts: { start, ...more } })

const repositories: Record<string, { files: Record<string, string>; answer: string }> = {
  node: {
    files: {
      'package.json': manifest('node server.js', { build: 'echo yes >built.txt' }),
      'package-lock.json': json({
        ...{ name: 'app', version: '1.0.0', lockfileVersion: 3, requires: true },
        packages: { '': { name: 'app', version: '1.0.0' } },
      }),
      'server.js': server,
    },
    answer: 'node, built',
  },
  bun: {
    files: {
      'package.json': json({
        ...{ name: 'app', version: '1.0.0', type: 'module', scripts: { start: 'bun server.ts' } },
        dependencies: { words: 'file:./words' },
      }),
      'words/package.json': json({ name: 'words', version: '1.0.0', main: 'index.ts' }),
      'words/index.ts': "export default 'bun'\n",
      'bun.lock': json({
        ...{ lockfileVersion: 2, configVersion: 1 },
        workspaces: { '': { name: 'app', dependencies: { words: 'file:./words' } } },
        packages: { words: ['words@file:words', {}] },
      }),
      'server.ts': `import { createServer } from 'node:http'
import words from 'words'
createServer((_, answer) => answer.end(words)).listen(Number(process.env.PORT), '0.0.0.0')
`,
    },
    answer: 'bun',
  },
  python: {
    files: {
      'requirements.txt': '# nothing yet\n',
      'main.py': `import http.server, os
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'python')
http.server.HTTPServer(('', int(os.environ['PORT'])), Handler).serve_forever()
`,
    },
    answer: 'python',
  },
  go: {
    files: {
      'go.mod': 'module example.test/app\n\ngo 1.24\n',
      'main.go': `package main

import (
	"fmt"
	"net/http"
	"os"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "go") })
	panic(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}
`,
    },
    answer: 'go',
  },
  static: { files: { 'public/index.html': 'static\n', 'README.md': 'x' }, answer: 'static\n' },
}

;(can.ok ? describe : describe.skip)('repositories without a Dockerfile on a real node', function () {
  this.timeout(imagesMs)
  let node: BuildNode
  before(async () => {
    node = await startBuildNode()
    await pushBases(node.registry, join(node.dataDir, 'images-bases.json'))
  })
  after(() => node?.stop())

  for (const [kind, { files, answer }] of Object.entries(repositories))
    it(`one of ${kind} is built and answers at its port`, async () => {
      await node.git.commit(`team/${kind}`, files)
      await node.create(`app-${kind}`, `team/${kind}`)
      const { id, phase, summary } = await node.untilOver(`app-${kind}`)
      const log = await node.log(`app-${kind}`, id)
      expect(phase, `${summary}\n${log}`).to.equal('Succeeded')
      expect(log).to.contain(`no Dockerfile: built as ${kind}`)
      let said = ''
      const answers = async () => (said = await node.answer(`app-${kind}`).catch(() => '')) !== ''
      await eventuallyOnNode('it answers', answers)
      expect(said).to.equal(answer)
    })
})
