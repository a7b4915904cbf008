import { expect, it } from 'vitest'
import { collisionKey, refusedEntryName } from './entry-name.ts'

it.each([
  ['', /1 to 300 characters/],
  ['x/'.repeat(150) + 'x', /1 to 300 characters/],
  ['\\\\host\\share\\evil', /backslash/],
  ['a\\..\\evil.txt', /backslash/],
  ['/etc/passwd', /absolute/],
  ['C:/evil.txt', /drive letter/],
  ['c:evil.txt', /drive letter/],
  ['aa:stream', /character/],
  ['1:stream', /character/],
  ['notes/a:stream', /character/],
  ['a\0b.txt', /character/],
  ['line\nbreak.txt', /character/],
  ['\u007f', /character/],
  ['what?', /character/],
  [`${'d/'.repeat(20)}deep.txt`, /20 folders/],
  ['../evil.txt', /out of the folder/],
  ['a/../../evil.txt', /out of the folder/],
  ['a/..', /out of the folder/],
  ['a//b.txt', /empty or "."/],
  ['./a.txt', /empty or "."/],
  ['a/./b.txt', /empty or "."/],
  ['trailing.', /dot or a space/],
  ['trailing /a', /dot or a space/],
  ['CON', /device name/],
  ['aux.txt', /device name/],
  ['aux .txt', /device name/],
  ['folder/nul', /device name/],
  ['nul/', /device name/],
  ['com1', /device name/],
  ['LPT³.log', /device name/],
  ['CONOUT$', /device name/],
  [`a/${'é'.repeat(128)}`, /255 bytes/],
])('refuses the entry %j', (name, reason) => {
  expect(refusedEntryName(name)).toMatch(reason)
})

it.each([
  'SKILL.md',
  'a/b.txt',
  'folder/',
  '.hidden',
  '..a',
  'a..b',
  'falcon',
  'falcon.txt',
  'consent.md',
  'comx',
  'lpts',
  'com10',
  `${'d/'.repeat(19)}deep.txt`,
  `${'a'.repeat(149)}/${'b'.repeat(150)}`,
  'a'.repeat(255),
  'é'.repeat(127),
])('takes the entry %j', (name) => {
  expect(refusedEntryName(name)).toBeUndefined()
})

it.each([
  ['a', 'a/'],
  ['Read.md', 'READ.MD'],
  ['caf\u00e9', 'cafe\u0301'],
  ['σίγμας', 'ΣΊΓΜΑΣ'],
  ['σίγμας', 'σίγμασ'],
  ['groß', 'GROẞ'],
  ['\u212a', 'k'],
])('takes %j and %j for one name', (one, other) => {
  expect(collisionKey(one)).toBe(collisionKey(other))
  expect(collisionKey(one)).not.toBe(collisionKey(`${other}x`))
})
