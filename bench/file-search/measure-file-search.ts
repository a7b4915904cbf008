import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../child.ts'
import { median } from '../median.ts'
import type { Measurement } from '../measurement.ts'
import { makeTree } from './make-tree.ts'
import type { SearchProcessCalls } from './search-process.ts'

const maxBlockMs = 50

/** The file search of `device-sdk/node` against `find -iname`, over the same files in turn. */
export async function measureFileSearch(count: number, rounds: number): Promise<readonly Measurement[]> {
  const root = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  try {
    await makeTree(root, count)
    await using searcher = startChild<SearchProcessCalls>(new URL('search-process.ts', import.meta.url), [
      root,
    ])
    // The first round of each warms the caches of the file system and is not counted.
    await find(root)
    await searcher.call.search('needle')
    const pairs: { floor: Found; subject: Found & { longestBlockMs: number } }[] = []
    for (let round = 0; round < rounds; round += 1) {
      const floor = await find(root)
      const subject = await searcher.call.search('needle')
      if (floor.found !== subject.found)
        throw new Error(`Measuring file search: found ${subject.found} files, find(1) found ${floor.found}.`)
      pairs.push({ floor, subject })
    }
    const longestBlockMs = Math.max(...pairs.map(({ subject }) => subject.longestBlockMs))
    return [
      {
        name: `file search, ${count.toLocaleString('en')} files`,
        value: Math.round(median(pairs.map(({ subject }) => subject.ms))),
        floor: Math.round(median(pairs.map(({ floor }) => floor.ms))),
        unit: 'ms',
        ratio: median(pairs.map(({ floor, subject }) => subject.ms / floor.ms)),
      },
      {
        name: 'file search, longest block',
        value: Math.round(longestBlockMs),
        unit: 'ms',
        target: { atMost: maxBlockMs },
        passed: longestBlockMs <= maxBlockMs,
      },
    ]
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

interface Found {
  readonly ms: number
  readonly found: number
}

async function find(root: string): Promise<Found> {
  const startedAt = performance.now()
  const child = spawn('find', [root, '-type', 'f', '-iname', '*needle*'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let found = 0
  child.stdout.on('data', (chunk: Buffer) => (found += chunk.filter((byte) => byte === 10).length))
  await once(child, 'close')
  return { ms: performance.now() - startedAt, found }
}
