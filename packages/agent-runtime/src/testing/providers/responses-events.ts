import type { MockProviderSearch } from './mock-provider.ts'

interface Item {
  readonly id: string
  readonly [field: string]: unknown
}

const item = (happened: 'added' | 'done', index: number, whole: Item) => ({
  type: `response.output_item.${happened}`,
  output_index: index,
  item: whole,
})

/** A search of the web as an item of an answer. */
export const toSearchItem = ({ query, results }: MockProviderSearch, id: string) => {
  const sources = results.map(({ url }) => ({ type: 'url', url }))
  return { type: 'web_search_call', id, status: 'completed', action: { type: 'search', query, sources } }
}

/** Events of a search. */
export const searchEvents = (search: Item, index: number): readonly object[] => [
  item('added', index, { ...search, status: 'in_progress' }),
  item('done', index, search),
]

/** Events of reasoning. */
export function reasoningEvents(reasoning: Item, index: number, text: string): readonly object[] {
  const place = { item_id: reasoning.id, output_index: index, summary_index: 0 }
  const summary = [{ type: 'summary_text', text }]
  return [
    item('added', index, reasoning),
    { type: 'response.reasoning_summary_part.added', ...place, part: { type: 'summary_text', text: '' } },
    { type: 'response.reasoning_summary_text.delta', ...place, delta: text },
    item('done', index, { ...reasoning, summary }),
  ]
}

/** How an answer cites the pages that searches found. */
export const toAnnotations = (searches: readonly MockProviderSearch[], text: string): readonly object[] =>
  searches
    .flatMap(({ results }) => results)
    .map(({ url, title }) => {
      const cited = `${url}${url.includes('?') ? '&' : '?'}utm_source=openai`
      return { type: 'url_citation', url: cited, title, start_index: 0, end_index: text.length }
    })

/** Events of a message. */
export function textEvents(
  message: Item,
  index: number,
  text: string,
  annotations: readonly object[],
): readonly object[] {
  const place = { item_id: message.id, output_index: index, content_index: 0 }
  const content = [{ type: 'output_text', text, annotations }]
  return [
    item('added', index, message),
    { type: 'response.output_text.delta', ...place, delta: text, logprobs: [] },
    ...annotations.map((annotation, annotation_index) => {
      return { type: 'response.output_text.annotation.added', ...place, annotation_index, annotation }
    }),
    item('done', index, { ...message, content }),
  ]
}
