import { expect, it } from 'vitest'
import { readDeviceFolders } from './device-folders.ts'

it('reads the folders that a device announces', () => {
  expect(readDeviceFolders({ os: 'Linux', folders: ['/srv/photos', '~/Documents'] })).toEqual([
    '/srv/photos',
    '~/Documents',
  ])
})

it('leaves out entries of another form, and those after the first 50', () => {
  expect(readDeviceFolders({ folders: ['/a', 7, null, '', { path: '/b' }] })).toEqual(['/a'])
  for (const folders of [undefined, '/a', { 0: '/a' }]) expect(readDeviceFolders({ folders })).toEqual([])
  const many = Array.from({ length: 60 }, (_, index) => `/${index}`)
  expect(readDeviceFolders({ folders: many })).toEqual(many.slice(0, 50))
})
