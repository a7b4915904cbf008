import type { Upload } from '@homeward/contract/device-cloud'
import { expect, it } from 'vitest'
import { findDownloads } from './file-panel.tsx'

const filePath = '/list.txt'
const upload = (status: Upload['status'], completedAt: string | null, path = filePath): Upload => ({
  id: `${status} ${completedAt}`,
  device: { id: 'd', name: 'D' },
  filePath: path,
  destination: 'cloud',
  status,
  createdAt: '2026-01-01T00:00:00Z',
  completedAt,
})
const copy = upload('completed', '2026-01-02T00:00:00.000Z')

it('takes a copy for the file until that was changed, in whichever time zone the device says so', () => {
  const at = (modified: string) => findDownloads([copy], { filePath, modified }).isCurrent
  expect(at('2026-01-01T23:59:59Z')).toBe(true)
  expect(at('2026-01-02T01:30:00+02:00')).toBe(true)
  expect(at('2026-01-02T00:00:00.001Z')).toBe(false)
})

it('finds the older copy behind a try that failed, and none of another file', () => {
  const failed = upload('failed', '2026-01-03T00:00:00Z')
  const other = upload('completed', '2026-01-04T00:00:00Z', '/other.txt')
  const modified = '2026-01-01T00:00:00Z'
  expect(findDownloads([other, failed, copy], { filePath, modified })).toEqual({
    last: failed,
    copy,
    isCurrent: false,
  })
  expect(findDownloads([other], { filePath, modified })).toEqual({
    last: undefined,
    copy: undefined,
    isCurrent: false,
  })
})
