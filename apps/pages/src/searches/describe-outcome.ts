import type { SearchQuery, SearchResults } from '@homeward/contract/device-cloud'
import { describeError } from '../components/text/describe-error.ts'

const own = new Set(['files', 'apps', 'system', 'truncated', 'unread', 'skipped', 'source', 'asOf'])

/** What came of a search, in a few words: what was found, why it failed, or that it waits. */
export function describeOutcome({ status, results, error }: SearchQuery): string {
  if (status === 'pending') {
    const listed = count(results?.files?.length, 'file', 'files')
    return listed === undefined ? 'waits for the device' : `waits for the device, ${listed} in its list`
  }
  if (status === 'failed') return describeError(error) ?? 'no reason was given'
  const found = [
    count(results?.files?.length, 'file', 'files'),
    count(results?.apps?.length, 'app', 'apps'),
    results?.system ? 'system facts' : undefined,
    ...Object.keys(results ?? {}).filter((scope) => !own.has(scope)),
  ]
  const text = found.filter((each) => each !== undefined).join(', ') || 'nothing found'
  return results?.unread?.some(({ reason }) => reason !== 'not_text')
    ? `${text}, not everything was seen`
    : text
}

const reasons: Readonly<Record<string, readonly [one: string, many: string]>> = {
  missing_root: ['folder that is not there', 'folders that are not there'],
  denied: ['place that the device may not read', 'places that the device may not read'],
  silent_disk: ['place on a disk that does not respond', 'places on disks that do not respond'],
  not_text: ['file that is not text', 'files that are not text'],
  provider_failed: ['source that failed', 'sources that failed'],
}

/** Says in a sentence what a search could not see; undefined if it saw everything. */
export function describeUnread(unread: SearchResults['unread'] = []): string | undefined {
  if (unread.length === 0) return undefined
  const parts = [...Map.groupBy(unread, ({ reason }) => reason)].map(([reason, some]) => {
    const [one, many] = reasons[reason] ?? ['place that could not be read', 'places that could not be read']
    const total = some.reduce((sum, part) => sum + part.count, 0)
    const paths = some.flatMap(({ path }) => path ?? [])
    const named = paths.length > 0 && paths.length <= 3 ? ` (${paths.join(', ')})` : ''
    return `${count(total, one, many)}${named}`
  })
  return `Not searched: ${parts.join('; ')}.`
}

const skips: Readonly<Record<string, readonly [one: string, many: string]>> = {
  too_large: ['is too large', 'are too large'],
  unreadable: ['is damaged', 'are damaged'],
  encrypted: ['needs a password', 'need a password'],
  no_text: ['holds pictures only', 'hold pictures only'],
  timeout: ['took too long', 'took too long'],
  unsupported: ['has a format that the device cannot read', 'have a format that the device cannot read'],
}

/** Says in a sentence which documents were not searched; undefined if all were. */
export function describeSkipped(skipped: SearchResults['skipped'] = []): string | undefined {
  if (skipped.length === 0) return undefined
  const parts = [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, some]) => {
    const [one, many] = skips[reason] ?? ['could not be read', 'could not be read']
    const total = some.reduce((sum, part) => sum + part.count, 0)
    return total === 1 ? `1 ${one}` : `${total.toLocaleString()} ${many}`
  })
  return `Documents that were not searched: ${parts.join('; ')}.`
}

function count(length: number | undefined, one: string, many: string): string | undefined {
  if (length === undefined) return undefined
  return length === 1 ? `1 ${one}` : `${length.toLocaleString()} ${many}`
}
