import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { runPlan } from './connection.ts'
import { createIdleCheckpoints } from './idle-checkpoints.ts'
import { openThings } from './testing/open-things.ts'

/** Checkpoints whose pauses are over when the test says so. */
function start(checkpoint = vi.fn()) {
  const looks: (() => void)[] = []
  let isAwaited = false
  const checkpoints = createIdleCheckpoints({
    checkpoint,
    isAwaited: () => isAwaited,
    later(look) {
      looks.push(look)
      return () => void looks.splice(looks.indexOf(look), 1)
    },
  })
  const pause = (awaited = false) => {
    isAwaited = awaited
    looks.shift()?.()
  }
  return { ...checkpoints, checkpoint, looks, pause }
}

it('waits for many writes, and then for a pause between them', () => {
  const { written, pause, looks, checkpoint } = start()
  written(499)
  expect(looks).toHaveLength(0)
  written(1)
  written(1)
  pause()
  expect(checkpoint).not.toHaveBeenCalled() // something was written meanwhile
  pause(true)
  expect(checkpoint).not.toHaveBeenCalled() // something is about to be
  pause()
  expect(checkpoint).toHaveBeenCalledTimes(1)
  written(499)
  expect(looks).toHaveLength(0)
  written(1)
  pause()
  expect(checkpoint).toHaveBeenCalledTimes(2)
})

it('survives a checkpoint that fails, and looks no more once closed', () => {
  const checkpoint = vi.fn(() => {
    throw new Error('disk full')
  })
  const { written, pause, looks, close } = start(checkpoint)
  written(500)
  pause()
  written(500)
  close()
  expect(checkpoint).toHaveBeenCalledTimes(1)
  expect(looks).toHaveLength(0)
})

it('brings a database up to date in a pause, long before its log is full', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-idle-'))
  const path = join(folder, 'things.db')
  const { connection, plans } = openThings({ path })
  const { written, close } = createIdleCheckpoints({
    checkpoint: () => connection.exec('pragma wal_checkpoint(passive)'),
    isAwaited: () => false,
  })
  const { size } = await stat(path)
  for (let index = 0; index < 600; index += 1) {
    runPlan(connection, plans.insert(`t${index}`, 'x'.repeat(100)))
    written(1)
  }
  await vi.waitFor(async () => expect((await stat(path)).size).toBeGreaterThan(size), { timeout: 60_000 })
  close()
  connection.close()
  await rm(folder, { recursive: true })
})
