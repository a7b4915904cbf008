import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadFile, loadFiles } from './load-file.ts'
import { parsePaths, toAbsolutePath } from './parse-paths.ts'

describe('paths that a person types or drops', () => {
  it.each([
    ['/a/b.txt', ['/a/b.txt']],
    ['/a/my\\ file.txt /b', ['/a/my file.txt', '/b']],
    [`'/a/my file.txt'`, ['/a/my file.txt']],
    [`"/a/my \\"file\\".txt"  '/it'\\''s'`, ['/a/my "file".txt', "/it's"]],
    ['', []],
  ])('reads %s', (text, paths) => expect(parsePaths(text, false)).toEqual(paths))

  it('leaves the backslashes of Windows', () => {
    expect(parsePaths(String.raw`"C:\My files\a.txt" C:\b.txt`, true)).toEqual([
      String.raw`C:\My files\a.txt`,
      String.raw`C:\b.txt`,
    ])
  })

  it('resolves the home folder, addresses and relative paths', () => {
    expect(toAbsolutePath('~/a')).toBe(join(homedir(), 'a'))
    expect(toAbsolutePath('file:///a/my%20file')).toBe('/a/my file')
    expect(toAbsolutePath('b', '/a')).toBe('/a/b')
  })
})

describe('files of a message', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'files-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it.each([
    ['photo.png', Buffer.from([0x89, 0x50]), 'image/png'],
    ['main.ts', Buffer.from('const a = 1'), 'text/plain'],
    ['LICENSE', Buffer.from('Anyone may'), 'text/plain'],
    ['unknown', Buffer.from([0, 255]), 'application/octet-stream'],
  ])('finds the media type of %s', async (name, bytes, mediaType) => {
    await writeFile(join(folder, name), bytes)
    expect(await loadFile(name, folder)).toEqual({
      name,
      media_type: mediaType,
      data: bytes.toString('base64'),
    })
  })

  it('says what is wrong with a path, and never its terminal sequences', async () => {
    await writeFile(join(folder, 'empty'), '')
    await expect(loadFile('none\u001b[31m', folder)).rejects.toThrow(
      /^Reading the file none failed: it does not exist/,
    )
    await expect(loadFile('.', folder)).rejects.toThrow('not a regular file')
    await expect(loadFile('empty', folder)).rejects.toThrow('it is empty')
  })

  it('takes at most 20 files', async () => {
    await writeFile(join(folder, 'a'), 'a')
    await expect(
      loadFiles(
        Array.from({ length: 21 }, () => 'a'),
        folder,
      ),
    ).rejects.toThrow('at most 20 files')
  })
})
