import type { Json } from '@homeward/contract/agent-platform'
import { listOf, refuseIf, textOf, type Fields } from './checks.ts'
import type { MockProviderSearch } from './mock-provider.ts'

/** What searches found, as JSON, by the id of the search. */
export type FoundPages = Map<unknown, string>

const blocksOf = ({ content }: Fields): readonly Fields[] =>
  Array.isArray(content) ? listOf(content, 'content') : []

/** Whether an answer ends with a search, so that a caller may send it as the last message to go on with. */
export const isPaused = (turn: Fields | undefined): boolean =>
  turn !== undefined &&
  /^(?:server_tool_use|web_search_tool_result)$/.test(textOf(blocksOf(turn).at(-1)?.['type']))

/** Whether a request offers the search of the web. */
export function offersSearch(body: Json): boolean {
  const { tools } = body as Fields
  return (
    tools !== undefined && listOf(tools, 'tools').some(({ type }) => /^web_search_\d{8}$/.test(textOf(type)))
  )
}

/** Searches have to come back whole, unchanged, and to a request that offers them. */
export function checkSearches(turns: readonly Fields[], offered: boolean, found: FoundPages): void {
  for (const turn of turns) {
    const blocks = blocksOf(turn)
    const made = blocks.filter(({ type }) => type === 'server_tool_use').map(({ id }) => id)
    const results = blocks.filter(({ type }) => type === 'web_search_tool_result')
    refuseIf(made.length > 0 && !offered, 'messages: server_tool_use requires the tool to be defined')
    refuseIf(
      made.length > 0 && turn['role'] !== 'assistant',
      'messages: server_tool_use must be in an answer',
    )
    for (const { tool_use_id: id, content } of results) {
      refuseIf(
        !made.includes(id ?? null),
        `messages: unexpected tool_use_id ${textOf(id)} in web_search_tool_result`,
      )
      refuseIf(
        found.get(id) !== JSON.stringify(content),
        `messages: invalid encrypted_content in the result of ${textOf(id)}`,
      )
    }
    const pages = JSON.stringify(results)
    for (const { encrypted_index: index } of blocks.flatMap(citationsOf)) {
      const url = textOf(index).replace(/^index:/, '')
      refuseIf(!pages.includes(JSON.stringify(url)), `messages: citation of ${url} has no search result`)
    }
    const answered = results.map(({ tool_use_id: id }) => id)
    const open = made.find((id) => !answered.includes(id))
    refuseIf(open !== undefined, `messages: server_tool_use ${textOf(open)} has no web_search_tool_result`)
  }
}

const citationsOf = ({ citations }: Fields): readonly Fields[] =>
  Array.isArray(citations) ? listOf(citations, 'citations') : []

/** How an answer cites a page that a search found. */
export const toCitations = (searches: readonly MockProviderSearch[]): readonly object[] =>
  searches
    .flatMap(({ results }) => results)
    .map(({ url, title }) => ({
      type: 'citations_delta',
      citation: {
        type: 'web_search_result_location',
        url,
        title,
        cited_text: title,
        encrypted_index: `index:${url}`,
      },
    }))

/** The blocks of a search in an answer. */
export function searchBlocks({ results, error }: MockProviderSearch, id: string, found: FoundPages) {
  const pages = results.map(({ url, title }) => ({
    url,
    title,
    page_age: null,
    encrypted_content: `encrypted:${url}`,
    type: 'web_search_result',
  }))
  const content = error === undefined ? pages : { type: 'web_search_tool_result_error', error_code: error }
  found.set(id, JSON.stringify(content))
  return {
    call: { type: 'server_tool_use', id, name: 'web_search', input: {} },
    result: { type: 'web_search_tool_result', tool_use_id: id, content },
  }
}
