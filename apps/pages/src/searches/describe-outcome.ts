import type { SearchQuery } from '@homeward/contract/device-cloud'

const own = new Set(['files', 'apps', 'system', 'truncated'])

/** What came of a search, in a few words: what was found, why it failed, or that it waits. */
export function describeOutcome({ status, results, error }: SearchQuery): string {
  if (status === 'pending') return 'waits for the device'
  if (status === 'failed') return error ?? 'no reason was given'
  const found = [
    count(results?.files?.length, 'file', 'files'),
    count(results?.apps?.length, 'app', 'apps'),
    results?.system ? 'system facts' : undefined,
    ...Object.keys(results ?? {}).filter((scope) => !own.has(scope)),
  ]
  return found.filter((each) => each !== undefined).join(', ') || 'nothing found'
}

function count(length: number | undefined, one: string, many: string): string | undefined {
  if (length === undefined) return undefined
  return length === 1 ? `1 ${one}` : `${length.toLocaleString()} ${many}`
}
