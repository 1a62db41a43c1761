/**
 * Comments and pages that name a heading of a page link to an existing one; no comment cites a document outside the
 * repository.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { anchorsOf } from './anchors.ts'

const root = join(import.meta.dirname, '../..')
const ignored = (name: string) => ['node_modules', 'dist', '.git'].includes(name)
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const filesOf = (pattern: string): string[] => globSync(pattern, { cwd: root, exclude: ignored })
const sources = filesOf('**/*.{ts,tsx,mjs}')
/** Manifests, the chart, images, scripts and styles: their comments have other signs. */
const others = ['**/*.{yaml,yml,tpl,py,go,sh,css,html}', '**/*Dockerfile'].flatMap(filesOf)
const pages = filesOf('**/*.md')

/** `docs/<path>.md`, with or without an anchor; a wrapped comment may have it on a row of its own. */
const mention = /(?<![\w./-]|\]\()docs\/[\w./-]+?\.md(?:#[\w-]+)?/g
/** Links of pages, relative to the page. */
const link = /\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g

interface Reference {
  from: string
  page: string
  anchor: string | undefined
}

const mentionedIn = (from: string): Reference[] =>
  [...read(from).matchAll(mention)].map(([found]) => {
    const [page = '', anchor] = found.split('#')
    return { from, page, anchor }
  })

const inSources = [...sources, ...others].flatMap(mentionedIn)

const linkedIn = (from: string): Reference[] =>
  [...read(from).matchAll(link)].map(([, path = '', anchor]) => ({
    from,
    page: path === '' ? from : join(dirname(from), path),
    anchor,
  }))

const inPages = pages.flatMap((from) => [...linkedIn(from), ...mentionedIn(from)])

const anchors = new Map<string, Set<string>>()

function leadsNowhere({ page, anchor }: Reference): boolean {
  if (!existsSync(join(root, page))) return true
  if (anchor === undefined) return false
  const known = anchors.get(page) ?? new Set(anchorsOf(read(page)))
  anchors.set(page, known)
  return !known.has(anchor)
}

const shown = ({ from, page, anchor }: Reference): string =>
  `${from}: ${page}${anchor === undefined ? '' : `#${anchor}`}`

/** Citations of papers that a reader cannot open; only the texts of comments count, so code may be called `spec`. */
const cited = /\((spec|design|decisions)[,:] [^()]/

/** Rows of block comments, and comments after `//` or between comment signs within a row. */
function commentsOf(text: string): string[] {
  const blocks = [...text.matchAll(/^[ \t]*\/\*[\s\S]*?\*\//gm)].map(([block]) => block.replace(/\s*\n\s*\* ?/g, ' '))
  const rows = [...text.matchAll(/(?:^|\s)\/\/ (.*)$/gm)].map(([row]) => row)
  const within = [...text.matchAll(/\S.* \/\*\*? (.*?)\*\//g)].map(([, inner = '']) => inner)
  return [...blocks, ...rows, ...within]
}

describe('references', () => {
  it('of the code lead to a page, and to a heading of it', () => {
    const kinds = new Set(inSources.map(({ from }) => /[^./]+$/.exec(from)?.[0]))
    expect([...kinds]).to.include.members(['ts', 'tsx', 'mjs', 'yaml', 'tpl', 'py', 'Dockerfile'])
    expect(inSources.filter(leadsNowhere).map(shown)).to.deep.equal([])
  })

  it('of the pages lead to a file, and to a heading of it', () => {
    expect(inPages.filter(({ anchor }) => anchor !== undefined).length).to.be.above(3)
    expect(inPages.filter(leadsNowhere).map(shown)).to.deep.equal([])
  })

  it('begin at the index for every page of the reference', () => {
    const listed = new Set(inPages.filter(({ from }) => from === 'docs/reference/README.md').map(({ page }) => page))
    const pagesOfReference = pages.filter((page) => page.startsWith('docs/reference/') && !page.endsWith('README.md'))
    expect(pagesOfReference).to.have.length.above(10)
    expect(pagesOfReference.filter((page) => !listed.has(page))).to.deep.equal([])
  })

  it('of comments are links, not citations', () => {
    const citing = sources.flatMap((from) =>
      commentsOf(read(from))
        .filter((comment) => cited.test(comment))
        .map((comment) => `${from}: ${comment.trim().slice(0, 120)}`),
    )
    expect(citing).to.deep.equal([])
  })
})
