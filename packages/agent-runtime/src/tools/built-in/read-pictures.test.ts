import { mkdir, mkdtemp, realpath, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ToolContext } from '../../ports/tool.ts'
import { createFileTools } from './file-tools.ts'

let workspace: string
beforeEach(async () => void (workspace = await realpath(await mkdtemp(join(tmpdir(), 'homeward-files-')))))
afterEach(() => rm(workspace, { recursive: true, force: true }))

async function read(path: string) {
  const tools = createFileTools({ workspace: {}, maxResultBytes: 100 })
  // only the folder is asked for
  const context = { workspace } as ToolContext
  return await tools.find(({ id }) => id === 'read_file')?.execute({ path }, context)
}

const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(500, 1)])

it.each([
  ['chart.png', 'image/png', png],
  ['a/report.pdf', 'application/pdf', Buffer.from('%PDF-1.7 all of it is text')],
  ['call.wav', 'audio/wav', Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE'), Buffer.alloc(20)])],
])('reads %s as a file of type %s', async (path, media_type, bytes) => {
  await mkdir(join(workspace, 'a'), { recursive: true })
  await writeFile(join(workspace, path), bytes)
  expect(await read(path)).toMatchObject({
    path,
    size: bytes.length,
    content: [{ type: 'file', media_type, name: path, data: bytes }],
  })
})

it('reads text as text, also if it begins like a picture', async () => {
  await writeFile(join(workspace, 'cars.txt'), 'BMW, Audi')
  expect(await read('cars.txt')).toEqual({ path: 'cars.txt', size: 9, content: 'BMW, Audi' })
})

it('rejects a picture that is too large', async () => {
  await writeFile(join(workspace, 'huge.png'), png)
  await truncate(join(workspace, 'huge.png'), 20 * 1024 * 1024 + 1)
  await expect(read('huge.png')).rejects.toThrow(
    'Reading "huge.png" failed: the file must have at most 20971520 bytes. Make the file smaller first.',
  )
})
