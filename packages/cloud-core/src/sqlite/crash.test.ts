import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { at, deviceOf } from '../testing/store-harness.ts'
import { createSqliteStore } from './index.ts'

const module = fileURLToPath(new URL('./index.ts', import.meta.url))
let folder = ''
let path = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-crash-'))
  path = join(folder, 'cloud.db')
})
afterEach(() => rm(folder, { recursive: true }))

function start(program: string) {
  const head = `const { createSqliteStore } = await import(${JSON.stringify(module)})
    const store = createSqliteStore({ path: ${JSON.stringify(path)} })`
  const args = ['--conditions=@homeward/source', '--input-type=module', '--eval', `${head}\n${program}`]
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}

it('what resolved survives a killed process', async () => {
  const device = JSON.stringify(deviceOf('d'))
  const child = start(`
    import { writeSync } from 'node:fs'
    for (let index = 0; ; index += 8) await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(async (offset) => {
      const id = 'd' + (index + offset)
      await store.insertDevice({ ...${device}, id, key: { hash: id, hint: '', sealed: null } }, undefined)
      writeSync(1, id + '\\n')
    }))`)
  const told: string[] = []
  for await (const id of createInterface({ input: child.stdout })) {
    told.push(id)
    if (told.length === 500) child.kill('SIGKILL')
  }
  const store = createSqliteStore({ path })
  const missing = []
  for (const id of told) if ((await store.findDeviceByKeyHash(id, at(1))) === undefined) missing.push(id)
  expect(told.length).toBeGreaterThanOrEqual(500)
  expect(missing).toEqual([])
  await store.close()
})

it('processes that open a new file at once all find it ready', async () => {
  const children = Array.from({ length: 4 }, (_, index) =>
    start(`
    const outcome = await store.insertDevice({ ...${JSON.stringify(deviceOf('d'))}, id: 'd${index}',
      key: { hash: 'h${index}', hint: '', sealed: null } }, undefined)
    await store.close()
    process.exitCode = outcome.kind === 'created' ? 0 : 1`),
  )
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]))
  expect(codes).toEqual([0, 0, 0, 0])
  const store = createSqliteStore({ path })
  expect((await store.listDevices('ann', { limit: 9 })).rows).toHaveLength(4)
  await store.close()
})
