import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ToolContext } from '../../ports/tool.ts'
import { createReadSkillTool } from './built-in-tools.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-skill-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const open = (file: string, maxResultBytes: number) => {
  const skill = {
    id: 'notes',
    name: 'notes',
    description: '',
    folder,
    instructions: '',
    metadata: {},
    requiredEnv: [],
    tools: [],
  }
  const context: Partial<ToolContext> = {}
  return createReadSkillTool(new Map([['notes', skill]]), maxResultBytes).execute(
    { skill: 'notes', file },
    context as ToolContext, // it reads nothing of it
  )
}

it('A15: reads a file that is no UTF-8 to its end, and says so when it does not', async () => {
  await writeFile(join(folder, 'old.txt'), Buffer.from('Größe: Ende', 'latin1'))
  const read = { skill: 'notes', file: 'old.txt' }
  expect(await open('old.txt', 100)).toEqual({ ...read, content: 'Gr\uFFFD\uFFFDe: Ende' })
  expect(await open('old.txt', 11)).toEqual({
    ...read,
    content: 'Gr\uFFFD\uFFFDe: ',
    truncated: true,
    size: 11,
  })
})
