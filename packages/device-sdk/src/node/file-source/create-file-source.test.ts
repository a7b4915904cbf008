import { execFileSync } from 'node:child_process'
import {
  appendFile,
  link,
  mkdtemp,
  readdir,
  realpath,
  rm,
  symlink,
  truncate,
  writeFile,
  utimes,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { OpenedFile } from '../../ports/file-source.ts'
import { createFileSource } from './create-file-source.ts'

async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'homeward-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const signal = new AbortController().signal
const openIn = (root: string, filePath: string, maxBytes = 2 ** 40): Promise<OpenedFile> =>
  createFileSource({ roots: [root] }).open(filePath, { maxBytes, signal })

function streamOf({ content }: OpenedFile): ReadableStream<Uint8Array> {
  if (content instanceof Blob) throw new Error('expected a stream')
  return content
}
const textOf = (file: OpenedFile): Promise<string> => new Response(streamOf(file)).text()
const openHandles = async (file: string): Promise<number> => {
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => realpath(`/proc/self/fd/${fd}`).catch(() => '')),
  )
  return links.filter((target) => target === file).length
}

it('opens a file under a root, also through a root that is a link', async () => {
  const root = await tempFolder()
  const links = await tempFolder()
  await writeFile(path.join(root, 'a.txt'), 'content')
  await symlink(root, path.join(links, 'root'))
  const file = await openIn(path.join(links, 'root'), path.join(links, 'root/a.txt'))
  expect([file.fileName, file.size, await textOf(file)]).toEqual(['a.txt', 7, 'content'])
  expect(await openHandles(path.join(root, 'a.txt'))).toBe(0)
  await file.close()
  await writeFile(path.join(root, 'empty'), '')
  expect(await textOf(await openIn(root, path.join(root, 'empty')))).toBe('')
})

it('The device has the last word: denies whatever lies outside the roots', async () => {
  const root = await tempFolder()
  const outside = await tempFolder()
  await writeFile(path.join(outside, 'secret'), 'secret')
  await symlink(path.join(outside, 'secret'), path.join(root, 'link'))
  await symlink(outside, path.join(root, 'folder'))
  const refused = [
    path.join(outside, 'secret'),
    path.join(outside, 'missing'),
    path.join(root, 'link'),
    path.join(root, 'folder/secret'),
    path.join(root, 'folder/missing'),
    `${root}/../${path.basename(outside)}/secret`,
    `${root}\0`,
    'secret',
    `file://${root}/a`,
    '/proc/self/environ',
  ]
  for (const filePath of refused)
    await expect(openIn(root, filePath)).rejects.toMatchObject({
      code: 'POLICY_DENIED',
      message: expect.stringMatching(/^policy_denied: /),
    })
})

it('gives no folders, pipes, missing or too large files, and does not hang on a pipe', async () => {
  const root = await tempFolder()
  execFileSync('mkfifo', [path.join(root, 'fifo')])
  await writeFile(path.join(root, 'large'), '12345')
  for (const filePath of [root, ...['fifo', 'missing', 'large'].map((name) => path.join(root, name))])
    await expect(openIn(root, filePath, 4)).rejects.toMatchObject({ code: 'FILE_UNAVAILABLE' })
  expect(await openHandles(path.join(root, 'large'))).toBe(0)
})

it.each([
  ['shrinks', (file: string) => truncate(file, 300_000)],
  ['grows', (file: string) => appendFile(file, 'more')],
  ['is rewritten', (file: string) => writeFile(file, Buffer.alloc(600_000, 'x'), { flag: 'r+' })],
])('fails when the file %s while it is read, and closes it', async (_, change) => {
  const root = await tempFolder()
  const filePath = path.join(root, 'a')
  await writeFile(filePath, Buffer.alloc(600_000))
  await utimes(filePath, 0, 1_700_000_000)
  const reader = streamOf(await openIn(root, filePath)).getReader()
  expect((await reader.read()).value?.byteLength).toBe(256 * 1024)
  await change(filePath)
  const rest = (async () => {
    while (!(await reader.read()).done);
  })()
  await expect(rest).rejects.toMatchObject({ code: 'FILE_UNAVAILABLE' })
  expect(await openHandles(filePath)).toBe(0)
})

it('closes the file on cancel and on abort, and reads nothing ahead', async () => {
  const root = await tempFolder()
  const filePath = path.join(root, 'a')
  await writeFile(filePath, Buffer.alloc(600_000))
  await link(filePath, path.join(root, 'b'))
  const file = await openIn(root, filePath)
  expect(await openHandles(filePath)).toBe(1)
  await streamOf(file).cancel()
  await file.close()
  const stop = new AbortController()
  const other = await createFileSource({ roots: [root] }).open(filePath, {
    maxBytes: 1e9,
    signal: stop.signal,
  })
  stop.abort(new Error('stopped'))
  await expect(textOf(other)).rejects.toThrow('stopped')
  expect(await openHandles(filePath)).toBe(0)
})

it('streams 512 MiB in constant memory', { timeout: 60_000 }, async () => {
  const root = await tempFolder()
  const filePath = path.join(root, 'large')
  await writeFile(filePath, '')
  await truncate(filePath, 2 ** 29)
  const file = await openIn(root, filePath)
  const before = process.memoryUsage.rss()
  let bytes = 0
  let most = 0
  for await (const chunk of streamOf(file)) {
    bytes += chunk.byteLength
    most = Math.max(most, process.memoryUsage.rss())
  }
  expect(bytes).toBe(2 ** 29)
  expect(most - before).toBeLessThan(128 * 1024 * 1024)
})
