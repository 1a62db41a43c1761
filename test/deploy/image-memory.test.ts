/** The image and `npm start` give the processes of svc the same memory. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { mallocMemory, nodeMemory } from '../../one-machine/processes/index.ts'

const file = readFileSync(join(import.meta.dirname, '../../deploy/Dockerfile'), 'utf8')

describe('The memory of the processes', () => {
  it('is the same in the image', () => {
    expect(/^ENV NODE_OPTIONS="(.*)"/m.exec(file)?.[1]?.split(' ')).to.deep.equal(nodeMemory)
    for (const [name, value] of Object.entries(mallocMemory))
      expect(file).to.match(new RegExp(`^.* ${name}=${value}$`, 'm'))
  })

  it('is limited by words that Node takes in its environment', () => {
    const limit = `require('node:v8').getHeapStatistics().heap_size_limit`
    const limited = Number(
      execFileSync(process.execPath, ['-p', limit], { env: { ...process.env, NODE_OPTIONS: nodeMemory.join(' ') } }),
    )
    expect(limited / 1024 ** 2).to.be.within(1024, 1100)
  })
})
