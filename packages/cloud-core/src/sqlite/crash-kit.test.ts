import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Connection } from '@homeward/kit/sqlite'
import type { CrashHarness, OnCrashPoint } from '../testing/index.ts'
import { crashConformance } from '../testing/index.ts'
import { open, truncateLog } from './create-sqlite-store.ts'
import { createSqliteStore } from './index.ts'
import { createStoreOver } from './store-over.ts'

/** A connection whose process can be killed before and behind each statement, each begin and each commit. */
function killable(connection: Connection, cross: OnCrashPoint): Connection {
  const at = <Result>(sql: string, work: () => Result): Result => {
    cross(`before ${sql}`)
    const result = work()
    cross(`behind ${sql}`)
    return result
  }
  const runStep: Connection['runStep'] = (step) => at(step.sql, () => connection.runStep(step))
  return {
    runStep,
    exec: (sql) => at(sql, () => connection.exec(sql)),
    runScript: (sql) => at(sql, () => connection.runScript(sql)),
    close: () => connection.close(),
  }
}

const harness: CrashHarness = {
  async create(cross) {
    const folder = await mkdtemp(join(tmpdir(), 'homeward-crash-points-'))
    const path = join(folder, 'cloud.db')
    const connection = open({ path, busyTimeoutMs: 1000 })
    const killed = killable(connection, cross)
    const stores = [createStoreOver(killed, () => truncateLog(killed))]
    return {
      store: stores[0]!,
      async reopen() {
        // What a killed process leaves are its files as they are at that moment; its locks go with it.
        for (const name of ['cloud.db', 'cloud.db-wal'])
          await copyFile(join(folder, name), join(folder, `left-${name}`))
        const store = createSqliteStore({ path: join(folder, 'left-cloud.db') })
        stores.push(store)
        return store
      },
      async dispose() {
        // Closing may find that its process is dead.
        await Promise.allSettled(stores.map((store) => store.close()))
        connection.close()
        await rm(folder, { recursive: true })
      },
    }
  },
}

// Each point is a process of its own: all of them in `npm run soak`.
const every = Number(process.env['CRASH_POINTS_EVERY'] ?? 15)

it('loses nothing that it answered and keeps nothing by half, at whatever statement it is killed', async () => {
  const { points, crashes, problems } = await crashConformance(harness, { every })
  expect(problems).toEqual([])
  expect(points).toBeGreaterThan(150)
  expect(crashes).toBe(Math.ceil(points / every))
}, 600_000)
