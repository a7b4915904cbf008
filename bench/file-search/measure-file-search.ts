import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { fromBuild, startChild } from '../child.ts'
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

/** A first look reads names, sizes and times, as `find -printf` does, and writes them into a file. */
const maxLookRatio = 2

/**
 * The index of `device-sdk/node` over the same files: how long it is built, how fast it answers beside `find`, `fd` and a
 * plain walk, and what it costs at rest.
 */
export async function measureFileIndex(count: number, rounds: number): Promise<readonly Measurement[]> {
  const base = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  const root = join(base, 'root')
  const files = count.toLocaleString('en')
  try {
    await makeTree(root, count)
    const names = ['find', [root, '-type', 'f', '-iname', '*needle*']] as const
    const facts = ['find', [root, '-type', 'f', '-printf', '%s %T@ %p\n']] as const
    await run(...facts)
    const { ms: floor } = await run(...names)
    const { ms: factsFloor } = await run(...facts)
    const fd = await runFd(root)
    const program = await bundleProgram(base)
    const walkMs = await timeWalk(program, root, count)
    await using searcher = startChild<SearchProcessCalls>(program, [root, join(base, 'index.db')], fromBuild)
    const { ms: buildMs, cpuMs } = await searcher.call.build()
    const lookMs = await searcher.call.look()
    const bytes = await searcher.call.memory()
    const answerMs = await timeOf(searcher, count, rounds)
    const share = lookMs / lookEveryMs
    const beside = (name: string, ms: number): Measurement => ({
      name,
      value: Number(ms.toFixed(1)),
      floor: Math.round(floor),
      unit: 'ms',
      ratio: ms / floor,
    })
    return [
      {
        name: `file index, first look, ${files} files`,
        value: Math.round(buildMs),
        floor: Math.round(factsFloor),
        unit: 'ms',
        ratio: buildMs / factsFloor,
        target: { atMost: Math.round(factsFloor * maxLookRatio) },
        passed: buildMs <= factsFloor * maxLookRatio,
        details: { cpuMs: Math.round(cpuMs), findNamesMs: Math.round(floor) },
      },
      {
        ...beside('file index, an answer', answerMs),
        target: { atMost: maxAnswerMs },
        passed: answerMs <= maxAnswerMs,
      },
      beside('walk, the same answer', walkMs),
      ...(fd === undefined ? [] : [beside('fd, the names of it', fd)]),
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

/** The program that searches as JavaScript in one file: Node's removal of types takes memory that is not the index's. */
async function bundleProgram(folder: string): Promise<URL> {
  const outfile = join(folder, 'search-process.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('search-process.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@homeward/source'],
    logLevel: 'warning',
  })
  return pathToFileURL(outfile)
}

/** The median time of the question. */
async function timeOf(
  { call }: { readonly call: { search: (...input: [string, object]) => Promise<Found> } },
  count: number,
  rounds: number,
): Promise<number> {
  const answers: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const { ms, found } = await call.search('needle', question)
    if (found !== Math.min(1000, Math.ceil(count / 1000)))
      throw new Error(`Measuring the index of files: found ${found} files.`)
    answers.push(ms)
  }
  return median(answers)
}

async function timeWalk(program: URL, root: string, count: number): Promise<number> {
  await using walker = startChild<SearchProcessCalls>(program, [root], fromBuild)
  return await timeOf(walker, count, 1)
}

/** Milliseconds of `fd`, which Debian calls `fdfind`; undefined where it is missing. */
async function runFd(root: string): Promise<number | undefined> {
  for (const command of ['fdfind', 'fd']) {
    const { status } = spawnSync(command, ['--version'])
    if (status === 0) return (await run(command, ['-HI', '-t', 'f', '-i', 'needle', root])).ms
  }
  return undefined
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

const find = (root: string) => run('find', [root, '-type', 'f', '-iname', '*needle*'])

async function run(command: string, args: readonly string[]): Promise<Found> {
  const startedAt = performance.now()
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let found = 0
  child.stdout.on('data', (chunk: Buffer) => (found += chunk.filter((byte) => byte === 10).length))
  await once(child, 'close')
  return { ms: performance.now() - startedAt, found }
}
