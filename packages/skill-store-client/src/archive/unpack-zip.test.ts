import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ZipFile } from 'yazl'
import { SkillStoreError } from '../skill-store-error.ts'
import { craftZip, type CraftedEntry } from '../testing/craft-zip.ts'
import { unpackZip } from './unpack-zip.ts'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

async function refusalOf(entries: readonly CraftedEntry[], limits = {}): Promise<string> {
  const error: unknown = await unpackZip(craftZip(entries), limits).catch((reason: unknown) => reason)
  if (!SkillStoreError.is(error)) throw new Error('the archive was not refused', { cause: error })
  expect(error.code).toBe('INVALID_ARCHIVE')
  return error.message
}

it('unpacks what a common archiver wrote', async () => {
  const zip = new ZipFile()
  zip.addEmptyDirectory('scripts/')
  zip.addBuffer(Buffer.from('# hi'), 'SKILL.md')
  zip.addBuffer(Buffer.from('echo'), 'scripts/run.sh', { mode: 0o100755, compress: false })
  zip.end()
  const archive = Buffer.concat(await Array.fromAsync(zip.outputStream as AsyncIterable<Buffer>))
  const files = await unpackZip(archive)
  expect(files.map(({ path, bytes, executable }) => [path, text(bytes), executable ?? false])).toEqual([
    ['SKILL.md', '# hi', false],
    ['scripts/run.sh', 'echo', true],
  ])
})

it('reads what the crafted archives of these tests are made of', async () => {
  const files = await unpackZip(
    craftZip([
      { name: 'a/b.txt', content: 'x' },
      { name: 'c.txt', content: 'y' },
    ]),
  )
  expect(files.map(({ path, bytes }) => [path, text(bytes)])).toEqual([
    ['a/b.txt', 'x'],
    ['c.txt', 'y'],
  ])
})

describe.each([
  '../evil.txt',
  'a/../../evil.txt',
  '/etc/passwd',
  'C:/evil.txt',
  'c:evil.txt',
  '\\\\host\\share\\evil',
  'a\\..\\evil.txt',
  'a//b.txt',
  './a.txt',
  'a/./b.txt',
  'a\0b.txt',
  'line\nbreak.txt',
  'CON',
  'aux.txt',
  'folder/nul',
  'trailing.',
  'trailing ',
  'a:stream',
  `${'d/'.repeat(30)}deep.txt`,
  'x'.repeat(400),
])('the name %j', (name) => {
  it('is refused, and the message names the entry', async () => {
    const message = await refusalOf([{ name: 'SKILL.md', content: 'x' }, { name }])
    expect(message.includes(name.slice(0, 20)) || message.includes(JSON.stringify(name).slice(1, 20))).toBe(
      true,
    )
  })
})

it.each([
  ['a link', { name: 'link', content: '/etc/passwd', mode: 0o120777 }],
  ['a device', { name: 'device', mode: 0o020666 }],
  ['an encrypted entry', { name: 'secret.txt', content: 'x', encrypted: true }],
])('refuses %s', async (_, entry) => {
  expect(await refusalOf([entry])).toContain(entry.name)
})

it.each([
  ['twice', 'a.txt', 'a.txt'],
  ['in other case', 'Read.md', 'READ.md'],
  ['composed in another way', 'caf\u00e9.txt', 'cafe\u0301.txt'],
  ['as a file and a folder', 'a', 'a/b.txt'],
  ['as a folder and a file', 'a/b.txt', 'A'],
])('refuses a name that stands %s', async (_, first, second) => {
  expect(await refusalOf([{ name: first }, { name: second }])).toContain('refused')
})

it('counts entries', async () => {
  const entries = Array.from({ length: 2001 }, (_, index) => ({ name: `f${index}` }))
  expect(await refusalOf(entries)).toContain('2001 entries')
  expect(await unpackZip(craftZip(entries.slice(1)))).toHaveLength(2000)
})

it('counts what it inflates, whatever the headers say', async () => {
  const bomb = { name: 'bomb.bin', content: new Uint8Array(2_000_000) }
  expect(await refusalOf([bomb], { maxInflatedBytes: 1_000_000 })).toContain('1000000 bytes')
  expect(await refusalOf([{ ...bomb, declaredSize: 10 }], { maxInflatedBytes: 1_000_000 })).toContain(
    'failed',
  )
  const halves = [
    { ...bomb, name: 'a' },
    { ...bomb, name: 'b' },
  ]
  expect(await refusalOf(halves, { maxInflatedBytes: 3_000_000 })).toContain('"b"')
})

it('refuses what is no archive, or a cut one', async () => {
  const whole = craftZip([{ name: 'a.txt', content: 'hello hello hello' }])
  for (const bytes of [new Uint8Array(), Buffer.from('PK\u0003\u0004nonsense'), whole.subarray(0, 40)]) {
    await expect(unpackZip(bytes)).rejects.toMatchObject({ code: 'INVALID_ARCHIVE' })
  }
})

it('gives files or a typed error for any bytes', async () => {
  const whole = craftZip([
    { name: 'a.txt', content: 'hello' },
    { name: 'b/c.txt', content: 'world' },
  ])
  const damaged = fc
    .array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 })
    .map((changes) => {
      const bytes = Uint8Array.from(whole)
      for (const [at, value] of changes) bytes[at] = value
      return bytes
    })
  await fc.assert(
    fc.asyncProperty(damaged, async (bytes) => {
      const outcome: unknown = await unpackZip(bytes).catch((error: unknown) => error)
      expect(Array.isArray(outcome) || SkillStoreError.is(outcome)).toBe(true)
    }),
    { numRuns: 300 },
  )
})
