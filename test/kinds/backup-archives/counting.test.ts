/** What is counted of a dump, in the formats of the tools, by the shell that counts in a pod. */
import { expect } from 'chai'
import { spawnSync } from 'node:child_process'
import { counting, countsIn, countsSaid, countsText } from '../../../kinds/backup-archives/counting.ts'

/** What `counted` makes of the text; `copied` is its part behind the tool of postgres. */
function count(engine: 'postgres' | 'mysql', text: string): string {
  const script = `${counting(engine)}${engine === 'postgres' ? 'copied' : 'counted'}`
  return spawnSync('sh', ['-c', script], { input: text, encoding: 'utf8' }).stdout
}

describe('the counts of a dump', () => {
  const rows: readonly [string, 'postgres' | 'mysql', string, string][] = [
    [
      'of postgres are its tables and their rows',
      'postgres',
      'SET x;\nCOPY public.a (w) FROM stdin;\none\ntwo\n\\.\n\nCOPY public.b (w) FROM stdin;\n\\.\nSELECT 1;\n',
      '2 2',
    ],
    [
      'of postgres take no row for a table or an end',
      'postgres',
      'COPY public.a (w) FROM stdin;\nCOPY public.b (w) FROM stdin;\n\\\\.\n\n\\.\n',
      '1 3',
    ],
    ['of a dump of postgres that broke off are none', 'postgres', 'COPY public.a (w) FROM stdin;\none\n\\q\n', ''],
    [
      'of mysql are its tables and their rows',
      'mysql',
      "CREATE TABLE `a` (\n  `w` text\n);\nINSERT INTO `a` VALUES (1,'x'),(2,'y'),(3,NULL);\nINSERT INTO `a` VALUES (4,'z');\n",
      '1 4',
    ],
    [
      'of mysql with a row in each line are the same',
      'mysql',
      "CREATE TABLE `a` (\n  `w` text\n);\nINSERT INTO `a` VALUES\n(1,'x'),\n(2,'y;'),\n(3,NULL);\n",
      '1 3',
    ],
    [
      'of mysql take no text for a row',
      'mysql',
      "CREATE TABLE `a` (\n  `w` text\n);\nINSERT INTO `a` VALUES (1,'it\\'s),(4'),(2,'),('),(3,'\\\\'),(4,'),(');\n",
      '1 4',
    ],
    [
      'of mysql take no partition for a row',
      'mysql',
      'CREATE TABLE `a` (\n)\n(PARTITION p VALUES LESS THAN (1),(2));\n',
      '1 0',
    ],
    ['of nothing are none', 'mysql', '', '0 0'],
  ]
  for (const [what, engine, text, counts] of rows) it(what, () => expect(count(engine, text)).to.equal(counts))

  it('are said as JSON with what they are of, and not at all where one dump could not be counted', () => {
    const said = (counted: readonly string[]) => {
      const adds = counted.map((text) => `printf '%s' '${text}' >"$FILE"; add "$FILE"`).join('\n')
      const script = `set -eu\nFILE="$(mktemp)"\n${counting('mysql')}${adds}\nrm "$FILE"\n${countsSaid('mysql')}printf %s "$counts"`
      return spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout
    }
    expect(said(['2 7', '1 0'])).to.equal('"counts":{"tables":3,"rows":7}')
    expect(countsIn(`{${said(['2 7', '1 0'])}}`)).to.deep.equal({ tables: 3, rows: 7 })
    expect(countsText({ rows: 7, tables: 3 })).to.equal('3 tables, 7 rows')
    expect(said(['2 7', ''])).to.equal('')
    expect(countsIn('{}')).to.equal(undefined)
  })
})
