import { readSearchWords, type SearchGroup, type SearchQuery } from '@homeward/contract/device-cloud'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { cloud } from '../api/cloud.ts'
import { refresh } from '../api/refresh.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { describeError } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { hrefOfGroup } from './search-draft.ts'

/** Fields of a search that the next search changes. */
type Changed = Partial<Pick<SearchGroup, 'query' | 'scope'>>

/**
 * Searches the same devices once more, for the same or for something else. A run of a saved search runs that again where
 * nothing changes, so that both can be compared.
 */
export function useSearchAgain(group: SearchGroup) {
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const idempotency = useIdempotencyKey()
  return useMutation({
    mutationFn: async (changed: Changed) => {
      const { savedSearchId, filter } = group
      if (savedSearchId !== undefined && Object.keys(changed).length === 0) {
        const headers = idempotency.headersFor({ savedSearchId })
        return cloud.runSavedSearch({ params: { id: savedSearchId }, headers })
      }
      const { query, scope } = { ...group, ...changed }
      const target = filter ? { filter } : { deviceIds: await readDeviceIds(group.id) }
      const body = { query, scope, ...selectionOf(group), ...target }
      return cloud.createSearches({ body, headers: idempotency.headersFor(body) })
    },
    retry: false,
    onSuccess: ({ groupId }) => {
      idempotency.done()
      void refresh(queries, { queryKey: ['listSearchGroups'] })
      navigate(hrefOfGroup(groupId))
    },
    onError: (error) => showToast({ tone: 'bad', ...describeError(error) }),
  })
}

/** The conditions and the order of a search. */
export const selectionOf = ({ where, sort, limit }: SearchGroup) => ({
  ...(where && { where }),
  ...(sort !== undefined && { sort }),
  ...(limit !== undefined && { limit }),
})

/** The devices of a search that named them; at most a thousand. */
async function readDeviceIds(groupId: string): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const query = { groupId, limit: '500', ...(cursor !== undefined && { cursor }) }
    const reply = await cloud.listSearches({ query })
    ids.push(...reply.results.map(({ device }) => device.id))
    cursor = reply.nextCursor
  } while (cursor !== undefined)
  return [...new Set(ids)]
}

/** Wider searches to offer when a search finds nothing: files with any of its words, or with the words in their text. */
export function OtherWays({ group }: { readonly group: SearchGroup }) {
  const again = useSearchAgain(group)
  const anyWord = toAnyWord(group.query)
  const hasText = group.scope.includes('content')
  if (!group.scope.includes('files') || group.query.trim() === '') return null
  return (
    <div className="row">
      {anyWord !== undefined && (
        <Button isPending={again.isPending} onPress={() => again.mutate({ query: anyWord })}>
          Any of these words
        </Button>
      )}
      {!hasText && (
        <Button
          isPending={again.isPending}
          onPress={() => again.mutate({ scope: [...group.scope, 'content'] })}
        >
          Search the text in files
        </Button>
      )}
    </div>
  )
}

/** A pattern for names with one of the words of a search; undefined for one word, and for a pattern. */
export function toAnyWord(query: string): string | undefined {
  if (readSearchWords(query) === undefined) return undefined
  const words = query.split(/[^\p{L}\p{M}\p{N}_.-]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word))
  return words.length > 1 ? `*{${words.join(',')}}*` : undefined
}

/** Describes the words and places of a search that found nothing. */
export function describeTried({ query, scope }: Pick<SearchQuery, 'query' | 'scope'>): string {
  const text = query.trim()
  if (text === '' || !scope.some((each) => each === 'files' || each === 'content'))
    return 'The devices that answered found nothing.'
  const place = scope.includes('content') ? 'the name, path or text' : 'the name or path'
  return readSearchWords(text)
    ? `No file on the devices that answered has all of these words in ${place}: ${text}. Case, accents and the order of the words do not count.`
    : `No file on the devices that answered matches the pattern ${text}.`
}
