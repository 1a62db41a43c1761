/**
 * Control and bidirectional characters are removed from texts of other users before they are printed; and the size of a
 * terminal.
 */
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { createTerminal, plainText } from '../../../cli/session/terminal.ts'

const rows: [string, string, string][] = [
  ['colours', '\u001b[31mred\u001b[0m', 'red'],
  ['control characters, not tabs and line ends', 'a\u0000b\u0007c\td\ne', 'abc\td\ne'],
  ['a return to the start of the line', 'safe\revil', 'safeevil'],
  ['eight-bit control sequences', '\u009b31mred', '31mred'],
  ['what reverses the order of text', 'web\u202egnp.exe\u202c', 'webgnp.exe'],
  ['isolates and marks of direction', '\u2066a\u2069\u200eb\u200fc\u061cd', 'abcd'],
  ['nothing else', 'größe 大きさ 🙂', 'größe 大きさ 🙂'],
]

describe('text of others on the terminal', () => {
  for (const [what, text, shown] of rows) it(`loses ${what}`, () => expect(plainText(text)).to.equal(shown))
})

describe('the size of the terminal', () => {
  for (const [size, wanted] of [
    [{ columns: 120, rows: 40 }, [120, 40]],
    [{ columns: 0, rows: 0 }, [80, 24]],
    [{}, [80, 24]],
  ] as const)
    it(`is ${wanted.join(' x ')} where the system says ${JSON.stringify(size)}`, () => {
      const [stdin, stderr] = [new PassThrough(), new PassThrough()]
      const { columns, rows: lines } = createTerminal(
        { stdin, stderr, stdout: Object.assign(new PassThrough(), { isTTY: true, ...size }) },
        {},
      )
      expect([columns(), lines()]).to.deep.equal(wanted)
    })
})
