import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromBuild, startChild, type Child } from '../child.ts'
import { median } from '../median.ts'
import type { Measurement } from '../measurement.ts'
import { ensureBuild } from '../ensure-build.ts'
import { installPeers } from '../peers/install-peers.ts'
import { ownContenders, peerContenders, type ContenderName } from './contender.ts'
import type { ContenderCalls, RunsTaken } from './contender-process.ts'
import { turnsOfRun } from './task.ts'

/** What the overhead of a turn is held against: the fastest peer that checks arguments, as all but one of them do. */
const yardstick: ContenderName = 'ai-generate-text'
/** The contender with targets: what counts is a run that is kept. */
const durable: ContenderName = 'sqlite'
/** Share of the yardstick's CPU time a turn that it may take. */
const maxTurnShare = 1
/** Its runs a second, 50 at once, over those of the fastest peer. */
const minThroughputRatio = 1.3
/** Its peak memory over that of the leanest peer. */
const maxPeakRatio = 1
const names = [...ownContenders, ...peerContenders]
const runsAtOnce = 50
const runsOfManyRound = 2 * runsAtOnce

/** Size of a measurement. */
interface RunLoopLoad {
  /** Runs of a round, one after the other, of each contender. */
  readonly runs: number
  readonly rounds: number
  /** Runs of a contender before its first round. */
  readonly warmUp: number
}

type Contenders = ReadonlyMap<ContenderName, Child<ContenderCalls>>
/** What runs took, and what those of the yardstick did that went before each of them. */
interface Rounds {
  readonly taken: readonly RunsTaken[]
  readonly floors: readonly RunsTaken[]
}
type RoundsOf = ReadonlyMap<ContenderName, Rounds>

/**
 * What a turn of the run loop costs besides model and tool, which take no time here: against a bare loop and against
 * other agent libraries, each in a process of its own, in turn.
 */
export async function measureRunLoop(load: RunLoopLoad): Promise<readonly Measurement[]> {
  await installPeers()
  await ensureBuild()
  const home = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(home, { recursive: true, force: true }))
  const module = new URL('contender-process.ts', import.meta.url)
  const contenders: Contenders = new Map(
    names.map((name) => [
      name,
      stack.use(startChild<ContenderCalls>(module, [name, join(home, name)], fromBuild)),
    ]),
  )
  const single = await playRounds(contenders, load, 1)
  const many = await playRounds(contenders, { ...load, runs: runsOfManyRound }, runsAtOnce)
  const peaks = new Map<ContenderName, number>()
  for (const [name, contender] of contenders) peaks.set(name, await contender.call.peakBytes())
  return [
    ...names.map((name) => toOverhead(name, single, load.runs * turnsOfRun)),
    ...names.map((name) => toThroughput(name, many, runsOfManyRound)),
    ...names.map((name) => toPeak(name, peaks)),
  ]
}

/**
 * Each contender takes turns with the yardstick, so that what else the machine does hits both. With that one alone: a
 * process that waits for all the others has cold code and a small young generation again when its turn comes.
 */
async function playRounds(contenders: Contenders, load: RunLoopLoad, atOnce: number): Promise<RoundsOf> {
  const rounds = new Map<ContenderName, Rounds>()
  const run = (name: ContenderName, runs = load.runs) => contenders.get(name)!.call.run(runs, atOnce)
  for (const name of names) {
    const taken: RunsTaken[] = []
    const floors: RunsTaken[] = []
    // So that code is compiled: a fresh process is several times slower, and it takes some hundred runs.
    for (const each of new Set([yardstick, name])) await run(each, load.warmUp)
    for (let round = 0; round < load.rounds; round += 1) {
      floors.push(await run(yardstick))
      taken.push(name === yardstick ? floors[round]! : await run(name))
    }
    rounds.set(name, { taken, floors })
  }
  return rounds
}

/** Medians over the rounds; ratios are of the same round. */
function toOverhead(name: ContenderName, rounds: RoundsOf, turns: number): Measurement {
  const { taken, floors } = rounds.get(name)!
  const cpuRatio = median(taken.map(({ cpuMicros }, round) => cpuMicros / (floors[round]?.cpuMicros ?? 0)))
  return {
    name: `a turn, ${name}`,
    value: round1(median(taken.map(({ cpuMicros }) => cpuMicros / turns))),
    floor: round1(median(floors.map(({ cpuMicros }) => cpuMicros / turns))),
    unit: 'us of CPU',
    ratio: median(taken.map(({ seconds }, round) => seconds / (floors[round]?.seconds ?? 0))),
    cpuRatio,
    // CPU time, not time: what others do on the machine moves it less.
    ...(name === durable && { target: { atMost: maxTurnShare }, passed: cpuRatio <= maxTurnShare }),
    details: { wallMicros: median(taken.map(({ seconds }) => (seconds * 1e6) / turns)) },
  }
}

function toThroughput(name: ContenderName, rounds: RoundsOf, runs: number): Measurement {
  const perSecond = (of: ContenderName) => median(rounds.get(of)!.taken.map(({ seconds }) => runs / seconds))
  const best = Math.max(...peerContenders.map(perSecond))
  const ratio = perSecond(name) / best
  return {
    name: `${runsAtOnce} runs at once, ${name}`,
    value: round1(perSecond(name)),
    floor: round1(best),
    unit: 'runs/s',
    ratio,
    ...(name === durable && {
      target: { atLeast: minThroughputRatio },
      passed: ratio >= minThroughputRatio,
    }),
  }
}

function toPeak(name: ContenderName, peaks: ReadonlyMap<ContenderName, number>): Measurement {
  const megabytes = (of: ContenderName) => Math.round((peaks.get(of) ?? 0) / 1e6)
  const least = Math.min(...peerContenders.map(megabytes))
  const ratio = megabytes(name) / least
  return {
    name: `peak memory, ${name}`,
    value: megabytes(name),
    floor: least,
    unit: 'MB',
    ratio,
    ...(name === durable && { target: { atMost: maxPeakRatio }, passed: ratio <= maxPeakRatio }),
  }
}

const round1 = (value: number) => Math.round(value * 10) / 10
