import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromSource, startChild } from '../child.ts'
import type { Measurement } from '../measurement.ts'
import type { HoldDevicesCalls } from './hold-devices.ts'

/** Memory that registered devices take, each after two heartbeats, in a process of its own. */
export async function measureMemory(storeKind: 'memory' | 'sqlite', count: number): Promise<Measurement> {
  const home = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  try {
    const module = new URL('hold-devices.ts', import.meta.url)
    await using holder = startChild<HoldDevicesCalls>(
      module,
      [storeKind, home],
      [...fromSource, '--expose-gc'],
    )
    // A few first: what is loaded and compiled once is not the devices'.
    await holder.call.hold(1000)
    const before = await holder.call.usage()
    await holder.call.hold(count)
    const after = await holder.call.usage()
    return {
      name: `memory per device, ${storeKind}`,
      value: Math.round((after.heapBytes - before.heapBytes) / count),
      unit: 'heap bytes',
      details: {
        devices: count,
        rssBytesEach: (after.rssBytes - before.rssBytes) / count,
        rssMegabytes: after.rssBytes / 1e6,
      },
    }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
