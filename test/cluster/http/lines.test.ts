/** Bytes to lines: complete, across chunks, and of bounded length. */
import { expect } from 'chai'
import { readLines } from '../../../cluster/http/lines.ts'

async function linesOf(chunks: string[], charsMax?: number): Promise<string[]> {
  const found: string[] = []
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Buffer.from(chunk, 'latin1')
  }
  for await (const lines of readLines(bytes(), charsMax)) found.push(...lines)
  return found
}

describe('lines of a stream', () => {
  it('are put together across chunks, characters too', async () => {
    expect(await linesOf(['a\nb', 'c', '\n', '\xc3', '\xbc\nlast'])).to.deep.equal(['a', 'bc', 'ü', 'last'])
  })

  it('lose what they have beyond the bound, and nothing of the next line', async () => {
    expect(await linesOf(['abcdef', 'ghi', 'jkl\nxy', 'z\n', 'abcdef'], 4)).to.deep.equal(['abcd', 'xyz', 'abcd'])
  })
})
