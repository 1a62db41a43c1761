/** Pure rules of queries: which statements are tried as reads, what is one statement, and how a command is split. */
import { expect } from 'chai'
import { oneStatement, whyNoRead, type WordedEngine } from '../../../outside/databases/query/reads.ts'
import { commandOf, ReplyReader, wordsOf } from '../../../outside/databases/query/resp.ts'

describe('A statement is tried as a read', () => {
  const rows: readonly (readonly [WordedEngine, string, boolean])[] = [
    ['postgres', 'select 1', true],
    ['postgres', '  ((TABLE orders))', true],
    ['postgres', '-- why\rSELECT 1', true],
    ['postgres', '/* one /* two */ still */ SELECT 1', true],
    ['postgres', '/* one /* two */ DROP TABLE orders', false],
    ['postgres', '/* never closed SELECT 1', false],
    ['postgres', '--SELECT\nDROP TABLE orders', false],
    ['postgres', 'selects', false],
    ['postgres', '# SELECT', false],
    ['postgres', '', false],
    ['mysql', '# why\nSELECT 1', true],
    ['mysql', 'DESC orders', true],
    ['mysql', '/* one /* two */ SELECT 1', true],
    ['mysql', '/* one /* two */ CALL p() /* */ */ SELECT 1', false],
    ['mysql', '/*!50000 SELECT */ 1', false],
    ['mysql', '/*M! SELECT */ 1', false],
    ['sqlite', 'EXPLAIN SELECT 1', true],
    ['sqlite', 'PRAGMA user_version', false],
  ]
  for (const [engine, statement, reads] of rows)
    it(`${engine}: ${JSON.stringify(statement)} is ${reads ? 'one' : 'none'}`, () => {
      expect(whyNoRead(engine, statement) === undefined).to.equal(reads)
    })
})

describe('The one statement of a text for sqlite', () => {
  for (const [text, one] of [
    ['SELECT 1', 'SELECT 1'],
    ['SELECT 1 -- the end', 'SELECT 1 -- the end'],
    ['SELECT 1 ; ; -- done; really', 'SELECT 1 '],
    ['SELECT \';\', "a;b", `c;d`, [e;f] /* g;h */;', 'SELECT \';\', "a;b", `c;d`, [e;f] /* g;h */'],
    ["SELECT 'it''s; fine'", "SELECT 'it''s; fine'"],
    ["SELECT '; DROP TABLE x", "SELECT '; DROP TABLE x"],
    ['SELECT 1; SELECT 2', undefined],
    ["SELECT ''; DROP TABLE x", undefined],
    ['SELECT 1; /* */ DROP TABLE x', undefined],
    ['-- nothing', undefined],
    [' /* nothing */ ; ', undefined],
  ] as const)
    it(`in ${JSON.stringify(text)}`, () => expect(oneStatement(text)).to.equal(one))

  it('is found in long texts with an open quote or comment', () => {
    for (const text of ["'", '"', '`', '[', 'x'])
      expect(oneStatement(text.repeat(1_000_000))?.length).to.equal(1_000_000)
    for (const text of ['/* ', ' ', ';', '-']) expect(oneStatement(text.repeat(1_000_000))).to.equal(undefined)
    expect(oneStatement(`${' '.repeat(1_000_000)}1;x`)).to.equal(undefined)
  })
})

describe('A command of redis', () => {
  it('is split as redis-cli does', () => {
    expect(wordsOf('  SET "a b" \'c "d"\' ')).to.deep.equal(['SET', 'a b', 'c "d"'])
    expect(wordsOf('SET k "a\\r\\nb\\"\\\\"')).to.deep.equal(['SET', 'k', 'a\r\nb"\\'])
    for (const wrong of ['GET "a', "GET 'a", 'GET "a"b', 'GET a"b"']) expect(wordsOf(wrong), wrong).to.equal(undefined)
  })

  it('is sent with the length of each word, so that no word ends it', () => {
    expect(commandOf(['GET', 'ä\r\n']).toString()).to.equal('*2\r\n$3\r\nGET\r\n$4\r\nä\r\n\r\n')
  })

  it('has a reply that may come in any pieces', () => {
    const whole = Buffer.from('*3\r\n$4\r\na\r\nb\r\n*2\r\n:7\r\n$-1\r\n+OK\r\n')
    const one = new ReplyReader().take(whole)
    expect(one).to.deep.equal({
      kind: 'array',
      items: [
        { kind: 'bulk', bytes: Buffer.from('a\r\nb') },
        { kind: 'array', items: [{ kind: 'integer', value: 7n }, { kind: 'nil' }] },
        { kind: 'status', text: 'OK' },
      ],
    })
    const reader = new ReplyReader()
    const replies = [...whole].map((byte) => reader.take(Buffer.from([byte])))
    expect(replies.slice(0, -1).every((reply) => reply === undefined)).to.equal(true)
    expect(replies.at(-1)).to.deep.equal(one)
    expect(() => new ReplyReader().take(Buffer.from('HTTP/1.1 400\r\n'))).to.throw('does not speak')
  })
})
