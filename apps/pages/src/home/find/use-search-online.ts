import { useLocation } from 'wouter'
import { useCloudMutation } from '../../api/cloud.ts'
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts'
import { hrefOfGroup } from '../../devices/searches/search-draft.ts'

/** Searches the files of every device that is online, and opens the page of the search. */
export function useSearchOnline(onDone: () => void) {
  const [, navigate] = useLocation()
  const idempotency = useIdempotencyKey()
  const create = useCloudMutation('createSearches', {
    invalidates: ['listSearches', 'listSearchGroups'],
    onSuccess({ groupId }) {
      navigate(hrefOfGroup(groupId))
      onDone()
    },
  })
  return {
    isPending: create.isPending,
    error: create.error,
    forget: create.reset,
    search(text: string) {
      const query = text.trim()
      if (query === '' || create.isPending) return
      const body = { query, scope: ['files'], filter: { status: 'online' as const } }
      create.mutate({ body, headers: idempotency.headersFor(body) })
    },
  }
}
