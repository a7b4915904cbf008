import { expect, it } from 'vitest'
import { toAnnouncedFolders } from './to-announced-folders.ts'

it('announces folders as they are named', () => {
  expect(toAnnouncedFolders([])).toEqual([])
  expect(toAnnouncedFolders(['/srv/photos', 'C:\\Users\\Ann'])).toEqual(['/srv/photos', 'C:\\Users\\Ann'])
})

it('cuts the start of long paths, by whole characters', () => {
  const [cut = ''] = toAnnouncedFolders([`/${'📁'.repeat(300)}/end`])
  expect([...cut]).toHaveLength(200)
  expect(cut).toMatch(/^…📁+\/end$/u)
})

it('announces at most 50 folders, and at most 4 KiB', () => {
  const short = Array.from({ length: 60 }, (_, index) => `/${index}`)
  expect(toAnnouncedFolders(short)).toEqual(short.slice(0, 50))
  const wide = Array.from({ length: 50 }, (_, index) => `/${index}${'語'.repeat(150)}`)
  const folders = toAnnouncedFolders(wide)
  expect(folders).toEqual(wide.slice(0, folders.length))
  expect(Buffer.byteLength(JSON.stringify(folders))).toBeLessThanOrEqual(4096)
  expect(Buffer.byteLength(JSON.stringify(wide.slice(0, folders.length + 1)))).toBeGreaterThan(4096)
})
