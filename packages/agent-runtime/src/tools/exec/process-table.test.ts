import { readdirSync, readlinkSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readProcessTable } from './process-table.ts'

/** Files of processes that this one has open. */
function openRows(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return /^\/proc\/\d+\/stat$/.test(readlinkSync(`/proc/self/fd/${fd}`))
    } catch {
      return false // the descriptor of this very look
    }
  }).length
}

it.runIf(process.platform === 'linux')(
  'reads the processes without having a file of each open: where those are few, some would be missed',
  async () => {
    let most = 0
    let pending = setImmediate(function look() {
      most = Math.max(most, openRows())
      pending = setImmediate(look)
    })
    const tables = await Promise.all(Array.from({ length: 40 }, () => readProcessTable()))
    clearImmediate(pending)
    for (const table of tables) expect(table.map(({ pid }) => pid)).toContain(process.pid)
    expect(most).toBeLessThanOrEqual(1)
  },
)
