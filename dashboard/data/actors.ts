/** Who asked, in words: records and runs name a token by its ID alone (docs/reference/runs.md#the-list). */
import { useRead } from './queries.ts'
import { useMe } from './session.ts'

const tokenIds = /\btoken:([a-z0-9]+)/g

/** Puts the names of tokens into a text; one that was revoked has no name any more, and keeps its ID. */
export function nameTokens(text: string, tokens: readonly { readonly id: string; readonly name: string }[]): string {
  const names = new Map(tokens.map(({ id, name }) => [id, name]))
  return text.replaceAll(tokenIds, (whole, id: string) => {
    const name = names.get(id) ?? ''
    return name === '' ? whole : `token “${name}”`
  })
}

/** For texts that name who asked; only administrators may read the names of tokens. */
export function useTokenNames(): (text: string) => string {
  const { canMutate } = useMe()
  const tokens = useRead('tokens.list', {}, { enabled: canMutate }).data?.items ?? []
  return (text) => nameTokens(text, tokens)
}
