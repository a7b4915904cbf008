import { bindCalls, type CallsOf } from '@homeward/kit/sql'
import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { CloudStore, PendingCounts } from '../ports/cloud-store.ts'
import * as audit from './audit-verbs.ts'
import { isSearchPending } from '../sql/search-row.ts'
import { uploadStatus } from '../sql/upload-row.ts'
import { type CloudVerb, cloudVerbs, type CloudVerbs } from '../sql/verbs.ts'
import * as catalogs from './catalog-verbs.ts'
import * as savedSearches from './saved-search-verbs.ts'
import * as groups from './group-verbs.ts'
import * as devices from './device-verbs.ts'
import * as enrollmentTokens from './enrollment-token-verbs.ts'
import * as enrollments from './enrollment-verbs.ts'
import * as presence from './presence-verbs.ts'
import * as quotas from './quota-verbs.ts'
import * as retention from './retention-calls.ts'
import * as searches from './search-verbs.ts'
import * as tokens from './token-verbs.ts'
import type { Tables } from './tables.ts'
import { createTables } from './tables.ts'
import * as uploads from './upload-verbs.ts'
import * as webhooks from './webhook-verbs.ts'

const calls: CallsOf<CloudVerbs, Tables> = {
  ...devices,
  ...presence,
  ...searches,
  ...groups,
  ...savedSearches,
  ...uploads,
  ...audit,
  ...enrollments,
  ...enrollmentTokens,
  ...tokens,
  ...webhooks,
  ...retention,
  ...quotas,
  ...catalogs,
  countPending,
}

/**
 * Creates a store in the memory of this process, for tests and trials. All data is lost at a restart. Uses no Node
 * API, so it runs in any JavaScript runtime.
 *
 * @example
 * const store = createMemoryStore()
 */
export function createMemoryStore(): CloudStore {
  let tables: Tables | undefined = createTables()

  // A method runs to its end without waiting for anything: that is what makes it atomic here.
  const verbs = bindCalls<CloudVerbs, CloudVerb, Tables>(calls, cloudVerbs, async (make, { signal }) => {
    signal?.throwIfAborted()
    if (tables === undefined)
      throw new CloudStoreError(
        'CLOSED',
        'Using the memory store failed: the store is closed. Create a new one.',
      )
    return make(tables)
  })

  return {
    ...verbs,
    close: async () => {
      tables = undefined
    },
  }
}

function countPending(tables: Tables, deviceId: string, now: string): PendingCounts {
  let searchCount = 0
  let uploadCount = 0
  for (const row of tables.searches.openByDevice.get(deviceId) ?? [])
    if (isSearchPending(row, now)) searchCount += 1
  for (const row of tables.uploads.openByDevice.get(deviceId) ?? []) {
    if (uploadStatus(row, now) === 'pending') uploadCount += 1
  }
  return { searches: searchCount, uploads: uploadCount }
}
