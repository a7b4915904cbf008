import type { CloudStore } from '../ports/cloud-store.ts'
import { savedOf } from './saved-search-cases.ts'
import { at, groupOf } from './store-harness.ts'

/** Calls every method about saved searches and the work of groups, each so that it finds what it looks for. */
export async function useSavedSearches(store: CloudStore): Promise<void> {
  await store.insertSavedSearch(savedOf('v1', { nextAt: at(1) }), 9, undefined)
  await store.findSavedSearch('ann', 'v1')
  await store.listDueSavedSearches(at(2), 9)
  await store.replaceSavedSearch(savedOf('v1', { nextAt: at(1) }))
  await store.runDueSavedSearch({
    id: 'v1',
    dueAt: at(1),
    nextAt: null,
    group: groupOf('g7', { savedSearchId: 'v1', rest: { unmade: 1, after: null } }),
  })
  const lease = { leaseId: 'p', now: at(1), leaseUntil: at(9) }
  await store.claimGroup(lease)
  await store.claimGroup(lease)
  await store.extendGroup({ id: 'g7', ...lease, work: [{ id: 's7', deviceId: 'd1' }], rest: null })
  await store.deleteSavedSearch('ann', 'v1')
}
