import type { SearchGroup } from '@homeward/contract/device-cloud'
import { RotateCw } from 'lucide-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { cloud } from '../../api/cloud.ts'
import { refresh } from '../../api/refresh.ts'
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts'
import { Button } from '../../components/buttons/button.tsx'
import { describeError } from '../../components/states/error-state.tsx'
import { showToast } from '../../components/states/toasts.tsx'
import { hrefOfGroup } from './search-draft.ts'

/** Searches for the same on the same devices; a run of a saved search runs that again, so that both can be compared. */
export function SearchAgain({ group }: { readonly group: SearchGroup }) {
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const idempotency = useIdempotencyKey()
  const again = useMutation({
    mutationFn: async () => {
      const { savedSearchId, query, scope, filter } = group
      if (savedSearchId !== undefined) {
        const headers = idempotency.headersFor({ savedSearchId })
        return cloud.runSavedSearch({ params: { id: savedSearchId }, headers })
      }
      const target = filter ? { filter } : { deviceIds: await readDeviceIds(group.id) }
      const body = { query, scope, ...target }
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
  return (
    <Button icon={<RotateCw aria-hidden />} isPending={again.isPending} onPress={() => again.mutate()}>
      Search again
    </Button>
  )
}

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
