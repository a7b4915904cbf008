import type { CallInput } from '@homeward/contract/client'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { toFieldErrors } from '../api/field-errors.ts'
import { type DeviceFilter, everyDevice, toServerFilter } from '../devices/device-filter.ts'
import { anyFile, type FileConditionsDraft, toSelectionFields } from './file-conditions.tsx'

/** A search as it is being written. */
export interface SearchDraft {
  readonly query: string
  readonly scopes: readonly string[]
  readonly files: FileConditionsDraft
  /** Which devices are searched where none is chosen. */
  readonly filter: DeviceFilter
  /** Devices that were chosen one by one; none means all that `filter` matches. */
  readonly deviceIds: ReadonlySet<string>
  /** Until a search that nobody answered fails. */
  readonly ttlMinutes: number
}

/** Nothing written yet; the time is the one of the server (C10). */
export const emptySearch: SearchDraft = {
  query: '',
  scopes: ['files'],
  files: anyFile,
  filter: everyDevice,
  deviceIds: new Set(),
  ttlMinutes: 1440,
}

/** As the interface has it. */
const maxDevices = 1000

/** What is wrong, by field. @param matching how many devices the filter matches, where that is known. */
export function checkSearch(
  draft: SearchDraft,
  matching?: number,
): Partial<Record<keyof SearchDraft, string>> {
  const { query, scopes, files, deviceIds, ttlMinutes } = draft
  const hasCondition = files.kind !== '' || files.days !== '' || files.minBytes !== ''
  return {
    ...(query.trim() === '' && !hasCondition && { query: 'Enter words, or choose a kind, time or size.' }),
    ...(scopes.length === 0 && { scopes: 'Choose at least one.' }),
    ...(scopes.length > 16 && { scopes: 'Choose at most 16.' }),
    ...(deviceIds.size === 0 && matching === 0 && { deviceIds: 'No device matches the filter.' }),
    ...(deviceIds.size > maxDevices && {
      deviceIds: `At most ${maxDevices.toLocaleString()} devices at once.`,
    }),
    ...(!(ttlMinutes >= 1 && ttlMinutes <= 10_080) && {
      ttlMinutes: 'Enter a time between a minute and 7 days.',
    }),
  }
}

/** What the server refused, by field. */
export function readRefusal(error: Error | null): {
  readonly fields: Partial<Record<keyof SearchDraft, string>>
  readonly rest: Error | undefined
} {
  const { fields, rest } = toFieldErrors(error, ['query', 'scope', 'deviceIds', 'filter', 'ttlSeconds'])
  const { scope, filter, ttlSeconds, ...others } = fields
  return {
    fields: {
      ...others,
      ...(scope !== undefined && { scopes: scope }),
      ...(filter !== undefined && { deviceIds: filter }),
      ...(ttlSeconds !== undefined && { ttlMinutes: ttlSeconds }),
    },
    rest,
  }
}

/** What the server takes. */
export function toSearchBody(
  draft: SearchDraft,
  nowMs: number = Date.now(),
): CallInput<DeviceCloudOperations['createSearches']>['body'] {
  const { query, scopes, files, filter, deviceIds, ttlMinutes } = draft
  return {
    query: query.trim(),
    scope: [...scopes],
    ...toSelectionFields(files, nowMs),
    ...(deviceIds.size > 0 ? { deviceIds: [...deviceIds] } : { filter: toServerFilter(filter) }),
    ttlSeconds: Math.round(ttlMinutes * 60),
  }
}

/** Page of a search on any number of devices. */
export const hrefOfGroup = (groupId: string): string => `/searches/groups/${encodeURIComponent(groupId)}`
