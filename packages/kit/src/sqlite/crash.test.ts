import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runPlan } from './connection.ts'
import { openThings } from './testing/open-things.ts'

const folderOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
let folder = ''
let path = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-crash-'))
  path = join(folder, 'things.db')
})
afterEach(() => rm(folder, { recursive: true }))

function start(program: string) {
  const head = `const { openThings } = await import(${JSON.stringify(folderOf('./testing/open-things.ts'))})
    const { createGroupWriter } = await import(${JSON.stringify(folderOf('./group-writer.ts'))})
    const { connection, plans } = openThings({ path: ${JSON.stringify(path)}, busyTimeoutMs: 5000 })
    const writer = createGroupWriter(connection)`
  const args = ['--conditions=@homeward/source', '--input-type=module', '--eval', `${head}\n${program}`]
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}

it('keeps what resolved when its process is killed', async () => {
  const child = start(`
    import { writeSync } from 'node:fs'
    for (let index = 0; ; index += 8) await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(async (offset) => {
      writeSync(1, await writer.write(() => plans.insert('t' + (index + offset))) + '\\n')
    }))`)
  const told: string[] = []
  for await (const id of createInterface({ input: child.stdout })) {
    told.push(id)
    if (told.length === 500) child.kill('SIGKILL')
  }
  const { connection, plans } = openThings({ path })
  const kept = new Set(runPlan(connection, plans.list()))
  expect(told.length).toBeGreaterThanOrEqual(500)
  expect(told.filter((id) => !kept.has(id))).toEqual([])
  connection.close()
})

it('gives a new file to all processes that open it at once', async () => {
  const children = Array.from({ length: 4 }, (_, index) =>
    start(`
    const written = await writer.write(() => plans.insert('t${index}'))
    connection.close()
    process.exitCode = written === 't${index}' ? 0 : 1`),
  )
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]))
  expect(codes).toEqual([0, 0, 0, 0])
  const { connection, plans } = openThings({ path })
  expect(runPlan(connection, plans.list())).toHaveLength(4)
  connection.close()
})
