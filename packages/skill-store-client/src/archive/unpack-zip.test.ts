import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { ZipFile } from 'yazl'
import { SkillStoreError } from '../skill-store-error.ts'
import { craftZip, type CraftedEntry } from '../testing/craft-zip.ts'
import { unpackZip } from './unpack-zip.ts'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

async function refusalOf(entries: readonly CraftedEntry[], limits = {}): Promise<string> {
  const error: unknown = await unpackZip(craftZip(entries), limits).catch((reason: unknown) => reason)
  if (!SkillStoreError.is(error)) throw new Error('the archive was not refused', { cause: error })
  expect(error.code).toBe('INVALID_ARCHIVE')
  expect(error.message.match(/failed/g)).toHaveLength(1)
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

it('refuses a name that leads elsewhere, and the message names the entry', async () => {
  expect(await refusalOf([{ name: 'SKILL.md', content: 'x' }, { name: 'aa:stream' }])).toBe(
    'Unpacking the archive failed: the entry "aa:stream" is invalid: its name contains a character that file systems do not allow.',
  )
  expect((await refusalOf([{ name: 'x'.repeat(400) }])).length).toBeLessThan(300)
  for (const name of ['../evil.txt', '/etc/passwd', 'C:/evil.txt', 'a\\..\\evil.txt'])
    expect(await refusalOf([{ name }])).toContain(JSON.stringify(name))
})

it('reads names of UTF-8 without their flag, and folders as Windows writes them', async () => {
  const names = async (...entries: CraftedEntry[]) =>
    (await unpackZip(craftZip(entries))).map(({ path }) => path)
  expect(await names({ name: 'Müller.md', isMarked: false })).toEqual(['Müller.md'])
  expect(await names({ name: 'scripts\\run.ps1', host: 0 })).toEqual(['scripts/run.ps1'])
  expect(await refusalOf([{ name: 'a\\..\\..\\evil.txt', host: 0 }])).toContain('leads out of the folder')
  expect(await refusalOf([{ name: 'a\\b.txt' }])).toContain('contains a backslash. Use "/"')
})

it.each([
  ['a link', { name: 'link', content: '/etc/passwd', mode: 0o120777 }, 'it is a link'],
  ['a device', { name: 'device', mode: 0o020666 }, 'it is neither a file nor a folder'],
  ['an encrypted entry', { name: 'secret.txt', content: 'x', encrypted: true }, 'it is encrypted'],
])('refuses %s', async (_, entry, reason) => {
  expect(await refusalOf([entry])).toContain(`"${entry.name}" is invalid: ${reason}`)
})

it.each([
  ['twice', 'a.txt', 'a.txt'],
  ['in other case', 'Read.md', 'READ.md'],
  ['composed in another way', 'caf\u00e9.txt', 'cafe\u0301.txt'],
  ['as a file and a folder', 'a', 'a/'],
  ['as a folder and a file', 'a/', 'A'],
  ['as a file and a folder with something in it', 'a', 'a/b/c.txt'],
  ['as a folder with something in it and a file', 'a/b/c.txt', 'A/B'],
])('refuses a name that stands %s', async (_, first, second) => {
  expect(await refusalOf([{ name: first }, { name: second }])).toContain('is invalid: ')
})

it('takes folders wherever they stand, names that begin alike, and what another system than Unix wrote', async () => {
  const names = ['a/', 'a/', 'a/b/c.txt', 'a/b/c.t', 'a/b/', 'a/c', 'folder/d', 'fold']
  const files = await unpackZip(
    craftZip(names.map((name) => ({ name, mode: name === 'a/c' ? 0 : 0o100644 }))),
  )
  expect(files).toEqual(
    ['a/b/c.txt', 'a/b/c.t', 'a/c', 'folder/d', 'fold'].map((path) => ({ path, bytes: Buffer.alloc(0) })),
  )
  expect(await unpackZip(craftZip([{ name: 'a/', mode: 0o040755 }]))).toEqual([])
})

it('counts entries', async () => {
  const entries = Array.from({ length: 2001 }, (_, index) => ({ name: `f${index}/` }))
  expect(await refusalOf(entries)).toContain('2001 entries')
  expect(await unpackZip(craftZip(entries.slice(1)))).toEqual([])
  expect(await refusalOf(entries.slice(0, 3), { maxEntries: 2 })).toContain('3 entries')
})

it('refuses an archive that holds more entries than it says', async () => {
  const archive = Buffer.from(craftZip(['SKILL.md', 'a.sh', 'b.sh'].map((name) => ({ name }))))
  for (const count of [0, 1, 2]) {
    archive.writeUInt16LE(count, archive.length - 12)
    await expect(unpackZip(archive)).rejects.toThrow(
      `Unpacking the archive failed: it declares ${count} entries, but contains more.`,
    )
  }
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
  expect(await unpackZip(craftZip(halves), { maxInflatedBytes: 4_000_000 })).toHaveLength(2)
})

it('refuses an entry whose checksum is of other bytes', async () => {
  expect(await refusalOf([{ name: 'run.sh', content: 'echo', declaredChecksum: 1 }])).toBe(
    'Unpacking the archive failed: the entry "run.sh" is damaged: its checksum differs.',
  )
})

it('takes 50 MiB where no other limit is given', async () => {
  const limit = 50 * 1024 * 1024
  const refusal = (declaredSize: number) => refusalOf([{ name: 'a', content: 'x', declaredSize }])
  expect(await refusal(limit + 1)).toContain(`it unpacks to more than ${limit} bytes`)
  expect(await refusal(limit)).not.toContain('unpacks to more')
})

it('refuses what is no archive, or a cut one', async () => {
  const whole = craftZip([{ name: 'a.txt', content: 'hello hello hello' }])
  for (const bytes of [new Uint8Array(), Buffer.from('PK\u0003\u0004nonsense'), whole.subarray(0, 40)]) {
    await expect(unpackZip(bytes)).rejects.toMatchObject({
      code: 'INVALID_ARCHIVE',
      cause: expect.any(Error),
    })
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
