import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { createFileTools } from './file-tools.ts'

let workspace: string
beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'homeward-list-'))
})
afterEach(() => rm(workspace, { recursive: true, force: true }))

const list = (args: JsonObject = {}) => {
  const tool = createFileTools({ workspace: {}, maxResultBytes: 262_144 }).find(
    ({ id }) => id === 'list_files',
  )
  if (!tool) throw new Error('no tool')
  return tool.execute(args, {
    agentId: 'a',
    runId: 'r',
    conversationId: 'c',
    idempotencyKey: 'k',
    workspace,
    tainted: false,
    depth: 0,
    metadata: {},
    context: undefined,
    progress() {},
    writeData() {},
    ask: async () => Promise.reject(new Error('Nobody answers in this test')),
    signal: new AbortController().signal,
  })
}

it('A18: a long list of files takes at most 2,000 tokens, says how many there are, and goes on', async () => {
  await mkdir(join(workspace, 'folder'))
  await Promise.all(
    Array.from({ length: 300 }, (_, index) =>
      writeFile(join(workspace, `report-${index}-of-the-year.txt`), 'x'),
    ),
  )
  const first = (await list()) as { files: Json[]; next_offset: number }
  expect(first).toMatchObject({
    total: 301,
    counts: { file: 300, folder: 1 },
    truncated: true,
    narrow: expect.any(String),
  })
  expect(JSON.stringify(first).length).toBeLessThan(7000)
  const seen = [...first.files]
  for (let next: number | undefined = first.next_offset; next !== undefined;) {
    const more = (await list({ offset: next })) as { files: Json[]; next_offset?: number }
    seen.push(...more.files)
    next = more.next_offset
  }
  expect(seen).toHaveLength(301)
  expect(await list({ path: 'folder' })).toEqual({ files: [] })
})
