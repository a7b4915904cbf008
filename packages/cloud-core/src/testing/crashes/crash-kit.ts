import type { CloudStore } from '../../ports/cloud-store.ts'
import type { OnCrashPoint, Death, SimulatedProcess, Place } from './simulated-process.ts'
import { createSimulatedProcess } from './simulated-process.ts'
import type { Answer, History } from './model.ts'
import { answerOf, explain, replay, viewOf } from './model.ts'
import type { Act } from './act.ts'
import { rounds } from './rounds.ts'

export type { OnCrashPoint } from './simulated-process.ts'

/** An empty store to test. */
export interface CrashStorage {
  /** The store of the process to be killed. */
  readonly store: CloudStore
  /** Opens the store again in the state that the killed process left: data that was not persisted is gone. */
  reopen(): Promise<CloudStore>
  /** Removes everything. */
  dispose(): Promise<void>
}

/** Creates stores for the crash test. */
export interface CrashHarness {
  /**
   * Creates a new store that calls `cross` before and after everything that it waits for: a statement, a commit, a
   * connection. Once `cross` throws, the store must do nothing more.
   */
  create(cross: OnCrashPoint): Promise<CrashStorage>
}

/** Result of a crash test. */
export interface CrashReport {
  /** Number of points at which a process could be killed. */
  readonly points: number
  /** Number of killed processes. */
  readonly crashes: number
  /** Problems, with the point of the crash. */
  readonly problems: readonly string[]
}

/**
 * Tests a store against crashes at every point.
 *
 * The test runs every writing method of the store, some of them concurrently: first undisturbed, and then again and
 * again, killed one point later each time, until a process reaches the end. Concurrent calls can pass more or fewer
 * points each time, so the test continues from the round of the last kill and skips no point.
 *
 * After each crash, a model that runs the same calls one after the other decides which data may exist: every call
 * with a result, each interrupted call completely or not at all, and nothing else. The calls without a result and all
 * later calls are then repeated, as their callers would do. Each must get the model's result, and in the end all data
 * must exist once.
 *
 * @param options.every tests only every n-th point, for slow stores. @default 1
 * @example
 * const { problems } = await crashConformance(harness)
 * assert.deepEqual(problems, [])
 */
export async function crashConformance(
  harness: CrashHarness,
  { every = 1 }: { readonly every?: number } = {},
): Promise<CrashReport> {
  const undisturbed = await live(harness)
  const problems = undisturbed.problems.map((text) => `undisturbed: ${text}`)
  let behind: Place = { round: 0, point: 0 }
  let points = 0
  let crashes = 0
  while (problems.length === 0) {
    const { life, problems: found } = await live(harness, { behind, step: crashes === 0 ? 1 : every })
    behind = life.place
    points += life.gained
    const where = life.isOver() ? `killed at point ${points}, ${life.crossing}` : 'not killed'
    problems.push(...found.map((text) => `${where}: ${text}`))
    if (!life.isOver()) break
    crashes += 1
  }
  return { points, crashes, problems }
}

async function live(
  harness: CrashHarness,
  death?: Death,
): Promise<{ life: SimulatedProcess; problems: readonly string[] }> {
  const life = createSimulatedProcess(death)
  const storage = await harness.create(life.cross)
  try {
    return { life, problems: await liveOver(storage, life) }
  } finally {
    await storage.dispose()
  }
}

async function liveOver(storage: CrashStorage, life: SimulatedProcess): Promise<readonly string[]> {
  let histories: readonly History[] = [[]]
  for (const [number, round] of rounds.entries()) {
    life.enter(number)
    const answers = await Promise.all(round.map((act) => answerBefore(life, act, storage.store)))
    histories = await explainAll(histories, round, answers)
    const names = round.map(({ name }) => name).join(' | ')
    if (histories.length === 0)
      return [`no order of the acts explains the answers of ${names}: ${answers.join(', ')}`]
    if (life.isOver()) {
      const store = await storage.reopen()
      return checkBehind(store, { histories, round, answers, rest: rounds.slice(number + 1) })
    }
  }
  life.end()
  return (await fitting(histories, storage.store)).length > 0
    ? []
    : ['what is there in the end is not what was done']
}

/** The answer to an act, if there was one before the process was killed. */
async function answerBefore(life: SimulatedProcess, act: Act, store: CloudStore): Promise<Answer> {
  try {
    const answer = await answerOf(act, store)
    // A store may put what ended it into words of its own.
    return life.isOver() && answer.startsWith('refused') ? undefined : answer
  } catch (error) {
    if (life.isOver()) return undefined
    throw error
  }
}

async function explainAll(
  histories: readonly History[],
  round: readonly Act[],
  answers: readonly Answer[],
): Promise<readonly History[]> {
  return (await Promise.all(histories.map((history) => explain(history, round, answers)))).flat()
}

/** Those of the histories that leave behind what the store shows. */
async function fitting(histories: readonly History[], store: CloudStore): Promise<readonly History[]> {
  const view = await viewOf(store)
  const views = await Promise.all(histories.map(async (history) => viewOf((await replay(history)).store)))
  return histories.filter((_, index) => views[index] === view)
}

interface Left {
  readonly histories: readonly History[]
  readonly round: readonly Act[]
  readonly answers: readonly Answer[]
  readonly rest: readonly (readonly Act[])[]
}

async function checkBehind(
  store: CloudStore,
  { histories, round, answers, rest }: Left,
): Promise<readonly string[]> {
  // Not everything can be seen: several of them may fit, until an answer tells them apart.
  let possible = await fitting(histories, store)
  if (possible.length === 0) return ['something that was answered is lost, or something is there by half']
  const unanswered = round.filter((act, index) => answers[index] === undefined)
  const again = unanswered.filter(
    (act) => act.isRepeatable || !possible.every((history) => history.includes(act)),
  )
  for (const act of [...again, ...rest.flat()]) {
    const answer = await answerOf(act, store)
    possible = await explainAll(possible, [act], [answer])
    if (possible.length === 0)
      return [`the answer to ${act.name} afterwards is ${answer}, which it cannot be`]
  }
  return (await fitting(possible, store)).length > 0 ? [] : ['what is there in the end is not what was done']
}
