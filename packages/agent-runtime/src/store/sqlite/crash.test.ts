import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { finishOf, leaseOf, runOf, stepOf } from '../../testing/conformance-fixtures.ts'
import { createSqliteStore } from './index.ts'

const fileOf = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)))
let folder = ''
let path = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-crash-'))
  path = join(folder, 'agents.db')
})
afterEach(() => rm(folder, { recursive: true }))

function start(program: string) {
  const head = `const { createSqliteStore } = await import(${fileOf('./index.ts')})
    const make = await import(${fileOf('../../testing/conformance-fixtures.ts')})
    const store = createSqliteStore({ path: ${JSON.stringify(path)} })`
  const args = ['--conditions=@homeward/source', '--input-type=module', '--eval', `${head}\n${program}`]
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}

it('every step and every end that was acknowledged survives a killed process, whole', async () => {
  const child = start(`
    import { writeSync } from 'node:fs'
    for (let index = 0; ; index += 4) await Promise.all([0, 1, 2, 3].map(async (offset) => {
      const id = 'r' + (index + offset)
      await store.insertRun(make.runOf(id), make.leaseOf(), [])
      writeSync(1, 'run ' + id + '\\n')
      await store.saveRunStep(make.stepOf(id))
      writeSync(1, 'step ' + id + '\\n')
      await store.finishRun(make.finishOf(id))
      writeSync(1, 'end ' + id + '\\n')
    }))`)
  const told: string[][] = []
  for await (const line of createInterface({ input: child.stdout })) {
    told.push(line.split(' '))
    if (told.length === 400) child.kill('SIGKILL')
  }
  expect(told.length).toBeGreaterThanOrEqual(400)
  const store = createSqliteStore({ path })
  const ids = (await store.listMessages('c1', { limit: 100_000 })).rows.map(({ id }) => id)
  const missing: string[][] = []
  for (const [kind = '', id = ''] of told) {
    const run = await store.findRun(id)
    const steps = (await store.listRunEvents(id, 0)).length
    const ended = run?.status === 'completed' && ids.includes(`${id}-q`) && ids.includes(`${id}-a`)
    const there = { run: run !== undefined, step: steps >= 1, end: ended && steps === 2 }[kind]
    if (there !== true) missing.push([kind, id])
  }
  expect(missing).toEqual([])
  // Nothing by halves: a turn is in the conversation exactly when its run ended.
  const { rows } = await store.listRuns({ status: 'completed' }, { limit: 100_000 })
  expect(ids).toHaveLength(rows.length * 2)
  expect((await store.findConversation('c1'))?.messageCount).toBe(ids.length)
  // And it goes on.
  expect((await store.insertRun(runOf('next'), leaseOf(), [])).created).toBe(true)
  expect(await store.saveRunStep(stepOf('next'))).toBe(true)
  expect(await store.finishRun(finishOf('next'))).toBe(true)
  await store.close()
})
