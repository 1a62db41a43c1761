/** How large the files are, and how many lie loose on a floor: a file earns its place, and a floor has modules. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { floors as everyFloor } from '../../check/imports/floors.ts'

const root = join(import.meta.dirname, '../..')
const floors = Object.keys(everyFloor)
const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => floors.some((floor) => file.startsWith(`${floor}/`)))
const lines = files
  .map((file) => readFileSync(join(root, file), 'utf8').split('\n').length - 1)
  .toSorted((a, b) => a - b)

describe('the sizes of the source', () => {
  for (const floor of floors)
    it(`has at most 8 files that belong to no module on ${floor}`, () => {
      const loose = files.filter((file) => file.startsWith(`${floor}/`) && file.split('/').length === 2)
      expect(loose.length, loose.join(', ')).to.be.at.most(8)
    })

  it('has files of 55 to 80 lines, as most are', () => {
    expect(lines[Math.floor(lines.length / 2)]).to.be.within(55, 80)
  })

  it('has few files below 15 lines', () => {
    expect(lines.filter((count) => count < 15).length / lines.length).to.be.below(0.05)
  })
})
