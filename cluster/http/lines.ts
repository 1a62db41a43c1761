/** Cuts a stream of bytes into lines. */

/**
 * Yields the complete lines of each chunk that completes some; an unfinished last line comes at the end. Characters of
 * a line beyond `charsMax` are dropped at once: a line that never ends must not fill the memory of the process.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  charsMax = Number.POSITIVE_INFINITY,
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder()
  const cut = (line: string): string => (line.length > charsMax ? line.slice(0, charsMax) : line)
  let rest = ''
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    if (!text.includes('\n')) {
      rest = cut(rest + text)
      continue
    }
    const lines = (rest + text).split('\n')
    rest = cut(lines.pop() ?? '')
    yield lines.map(cut)
  }
  rest += decoder.decode()
  if (rest !== '') yield [rest]
}
