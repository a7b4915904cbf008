import type { DeviceFilter, SearchGroup } from '@homeward/contract/device-cloud'

const count = (number: number, one: string, many: string) =>
  `${number.toLocaleString()} ${number === 1 ? one : many}`

/** How a search on devices goes, in a few words: `503 devices · 3 answered · 12 files · 500 waiting`. */
export function describeGroup({
  total,
  counts,
  filesFound = 0,
}: Pick<SearchGroup, 'total' | 'counts' | 'filesFound'>): string {
  if (total === 0) return 'no device matched'
  const { pending, completed, failed } = counts
  return [
    count(total, 'device', 'devices'),
    `${completed.toLocaleString()} answered`,
    ...(filesFound > 0 ? [count(filesFound, 'file', 'files')] : []),
    ...(failed > 0 ? [`${failed.toLocaleString()} failed`] : []),
    ...(pending > 0 ? [`${pending.toLocaleString()} waiting`] : []),
  ].join(' · ')
}

/** Which devices a filter matches, in words: `online linux devices with the label shop`. */
export function describeFilter({ labels = [], type, platform, status, text }: DeviceFilter): string {
  const kind = [status, platform, type].filter((each) => each !== undefined).join(' ')
  const rest = [
    ...(labels.length > 0 ? [`labeled ${labels.join(', ')}`] : []),
    ...(text === undefined ? [] : [`with “${text}” in the name, id or metadata`]),
  ].join(', ')
  if (kind === '' && rest === '') return 'all devices'
  return ['all', kind, 'devices', rest].filter(Boolean).join(' ')
}
