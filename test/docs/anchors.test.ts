/** GitHub's rule for anchors, as a table. */
import { expect } from 'chai'
import { anchorsOf } from './anchors.ts'

describe('anchors of a page', () => {
  const rows: [string, string, string[]][] = [
    ['words in lower case, joined by dashes', '# Two Words', ['two-words']],
    ['no signs', "## A caller's `name`, if any: (yes)", ['a-callers-name-if-any-yes']],
    ['dashes and underscores', '# Sleep-when-idle of a_b', ['sleep-when-idle-of-a_b']],
    ['digits', '### 500 and 502', ['500-and-502']],
    ['the text of a link', '# See [this page](other.md#there)', ['see-this-page']],
    ['a number for one that comes again', '# Rule\n\n# Rule\n\n# Rule', ['rule', 'rule-1', 'rule-2']],
    ['none of a code block', '# One\n\n```sh\n# not one\n```\n\n## Two', ['one', 'two']],
  ]
  for (const [what, page, anchors] of rows) {
    it(`have ${what}`, () => {
      expect(anchorsOf(page)).to.deep.equal(anchors)
    })
  }
})
