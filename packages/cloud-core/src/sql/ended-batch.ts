import type { EndedBatch } from '../ports/group-store.ts'
import type { SearchRow } from './search-row.ts'

/** A search that is to be ended. */
export type EndingRow = Pick<
  SearchRow,
  'id' | 'deviceId' | 'groupId' | 'status' | 'expiresAt' | 'resultsBlobId'
>

/** What comes of a group that is not removed. */
export const nothingEnded: EndedBatch = { canceled: [], blobIds: [], isDone: true }

/** Files of the results of searches. */
export function toBlobIds(rows: readonly Pick<SearchRow, 'resultsBlobId'>[]): string[] {
  return rows.flatMap(({ resultsBlobId }) => (resultsBlobId === null ? [] : [resultsBlobId]))
}

/** What became of searches that were ended: canceled, and erased. */
export function toEndedBatch(
  canceled: readonly Pick<SearchRow, 'id' | 'deviceId'>[],
  erased: readonly Pick<SearchRow, 'resultsBlobId'>[],
  isDone: boolean,
): EndedBatch {
  const named = canceled.map(({ id, deviceId }) => ({ id, deviceId }))
  return { canceled: named, blobIds: toBlobIds(erased), isDone }
}
