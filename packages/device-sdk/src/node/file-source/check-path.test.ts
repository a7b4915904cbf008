import { expect, it } from 'vitest'
import { isInside } from '../roots/resolve-roots.ts'
import { checkPath } from './create-file-source.ts'
import path from 'node:path'

it.each(['', 'a.txt', './a', '/a/../b', '/a\0b', 'file:///etc/passwd', 'FILE:/x', 'https://x/y', '~/a'])(
  'rules %j out on Linux and macOS',
  (filePath) => expect(checkPath(filePath, 'linux')).toBeTypeOf('string'),
)

it.each([
  String.raw`\\server\share\a`,
  '//server/share/a',
  String.raw`\\?\C:\a`,
  String.raw`\\.\PhysicalDrive0`,
  'C:a.txt',
  String.raw`\a.txt`,
  '/a.txt',
  String.raw`C:\a\..\b`,
  'C:/a/../b',
  String.raw`C:\a.txt:hidden`,
  'file:///C:/a',
])('rules %j out on Windows', (filePath) => expect(checkPath(filePath, 'win32')).toBeTypeOf('string'))

it('lets absolute local paths through', () => {
  expect(checkPath('/a/b..c/..d', 'linux')).toBeUndefined()
  expect(checkPath(String.raw`/a\..\b`, 'linux')).toBeUndefined()
  expect(checkPath(String.raw`c:\Users\ada\a.txt`, 'win32')).toBeUndefined()
})

it('tells what lies under a root, by the rules of either platform', () => {
  expect(isInside('/a/b', '/a/b/c', path.posix)).toBe(true)
  expect(isInside('/a/b', '/a/b/..c', path.posix)).toBe(true)
  expect(isInside('/a/b', '/a/bc', path.posix)).toBe(false)
  expect(isInside('C:\\a', 'c:\\A\\b', path.win32)).toBe(true)
  expect(isInside('C:\\a', 'D:\\a\\b', path.win32)).toBe(false)
  expect(isInside('C:\\a', '\\\\server\\a\\b', path.win32)).toBe(false)
})
