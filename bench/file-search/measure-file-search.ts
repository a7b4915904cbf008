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

/** What an index is asked for: the newest invoices that are documents. */
const question = {
  where: { kind: ['document'], modifiedAfter: '2020-01-01T00:00:00Z' },
  sort: '-modified',
}
const maxAnswerMs = 300
const maxRestShare = 0.05
const maxRestBytes = 150_000_000
const lookEveryMs = 300_000

/** The index of `device-sdk/node` over the same files: how long it is built, how fast it answers, and what it costs at rest. */
export async function measureFileIndex(count: number, rounds: number): Promise<readonly Measurement[]> {
  const base = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  const root = join(base, 'root')
  const files = count.toLocaleString('en')
  try {
    await makeTree(root, count)
    await find(root)
    const { ms: floor } = await find(root)
    await using searcher = startChild<SearchProcessCalls>(new URL('search-process.ts', import.meta.url), [
      root,
      join(base, 'index.db'),
    ])
    const buildMs = await searcher.call.build()
    const lookMs = await searcher.call.look()
    const bytes = await searcher.call.memory()
    const answers: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const { ms, found } = await searcher.call.search('needle', question)
      if (found !== Math.min(1000, Math.ceil(count / 1000)))
        throw new Error(`Measuring the index of files: found ${found} files.`)
      answers.push(ms)
    }
    const answerMs = median(answers)
    const share = lookMs / lookEveryMs
    return [
      {
        name: `file index, built, ${files} files`,
        value: Math.round(buildMs),
        floor: Math.round(floor),
        unit: 'ms',
        ratio: buildMs / floor,
      },
      {
        name: 'file index, an answer',
        value: Number(answerMs.toFixed(1)),
        floor: Math.round(floor),
        unit: 'ms',
        ratio: answerMs / floor,
        target: { atMost: maxAnswerMs },
        passed: answerMs <= maxAnswerMs,
      },
      {
        name: 'file index at rest, share of a core',
        value: Number((share * 100).toFixed(1)),
        unit: '%',
        target: { atMost: maxRestShare * 100 },
        passed: share <= maxRestShare,
      },
      {
        name: 'file index at rest, memory',
        value: Math.round(bytes / 1_000_000),
        unit: 'MB',
        target: { atMost: maxRestBytes / 1_000_000 },
        passed: bytes <= maxRestBytes,
      },
    ]
  } finally {
    await rm(base, { recursive: true, force: true })
  }
}

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
