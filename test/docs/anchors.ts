/** The anchors that GitHub makes of the headings of a page. */

/** In order; code blocks have no headings, and a repeated heading gets a number. */
export function anchorsOf(markdown: string): string[] {
  const seen = new Map<string, number>()
  return headingsOf(markdown).map((heading) => {
    const anchor = slugOf(heading)
    const times = seen.get(anchor) ?? 0
    seen.set(anchor, times + 1)
    return times === 0 ? anchor : `${anchor}-${times}`
  })
}

function headingsOf(markdown: string): string[] {
  const withoutCode = markdown.replace(/^(```|~~~)[\s\S]*?^\1/gm, '')
  return [...withoutCode.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading.trim())
}

/**
 * A link in a heading counts by its text; characters other than letters, digits, blanks, underscores and dashes are
 * dropped.
 */
function slugOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
