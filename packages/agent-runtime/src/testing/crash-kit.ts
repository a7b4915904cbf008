import type { AgentRuntime } from '../runtime/runtime.ts'
import type { RuntimeOptions } from '../runtime/runtime-options.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { StoreHarness, StoreSetup } from './conformance-case.ts'
import { callName, readLedger, type CrashLedger } from './crashes/crash-ledger.ts'
import { finalStateOf, messagesOf, minus, runsOf } from './crashes/final-state.ts'
import {
  createSimulatedProcess,
  type CrashPoint,
  type SimulatedProcess,
  toStoreOf,
} from './crashes/simulated-process.ts'
import type { CrashClient, CrashScenario } from './crashes/scenario.ts'
import { createScriptModel, pieceMark } from './crashes/script-model.ts'
import { createCrashFixtures, type World } from './crashes/crash-fixtures.ts'

/** Runtimes and stores for {@link crashConformance}. */
export interface CrashKitOptions {
  /** Creates a runtime with these options and your own additions, such as a `home`. */
  createRuntime(options: RuntimeOptions): AgentRuntime
  /** Creates stores that outlive a process. */
  readonly harness: StoreHarness<RuntimeStore>
  /** Tests only every n-th point, from a random one of the first n, for slow stores. @default 1 */
  readonly every?: number
}

/** Result of the crashes in a scenario. */
export interface CrashReport {
  /** Number of calls that leave the process in the undisturbed work: to the store, a tool or a model. */
  readonly points: number
  /** Number of killed processes. */
  readonly crashes: number
  /** Problems, with the point of the crash. */
  readonly problems: readonly string[]
}

/** Longest that the work may take, crash or not, in milliseconds. */
const maxWorkMs = 60_000
/** With so many problems no more points are tried; of one crash some tell enough. */
const enoughProblems = 60
const problemsOfOne = 3
const longestProblem = 400
/** A lease is over by then. */
const downMs = 120_000

/**
 * Tests a scenario against crashes at every point.
 *
 * The work runs once undisturbed. Then, for each call that leaves the process, it runs twice more: killed before the
 * call, and after it. Each time, a second process continues with the same store. In the end, everything must be as if
 * nothing had happened: no completed tool call was repeated, no tool that may run only once ran twice, and no message
 * or event is lost or duplicated. A run may end as `effect_uncertain` only if a tool that may run only once was
 * interrupted.
 *
 * To test tools of your app, write a scenario with `ownTools`. External effects of your tools survive a crash, so
 * `ownTools` must give each process tools for the same service.
 *
 * @example
 * const report = await crashConformance(crashScenarios[0], { createRuntime, harness })
 * assert.deepEqual(report.problems, [])
 */
export async function crashConformance(
  scenario: CrashScenario,
  options: CrashKitOptions,
): Promise<CrashReport> {
  const undisturbed = await live(scenario, options)
  const points = undisturbed.crossings.length
  const problems = [...undisturbed.problems, ...undisturbed.world.problems].map(
    (text) => `undisturbed: ${text}`,
  )
  let crashes = 0
  const isSound = problems.length === 0
  const { every = 1 } = options
  let number = 1 + Math.floor(Math.random() * Math.min(every, points))
  for (; isSound && number <= points && problems.length < enoughProblems; number += every) {
    for (const side of sidesOf(undisturbed.crossings[number - 1])) {
      const tried = await live(scenario, options, { number, side })
      if (tried.ledger) crashes += 1
      const where = `killed ${side} ${tried.crossings.at(-1)} (${number})`
      const found = [...tried.problems, ...compare(undisturbed, tried)]
      problems.push(
        ...found.slice(0, problemsOfOne).map((text) => `${where}: ${text.slice(0, longestProblem)}`),
      )
    }
  }
  return { points, crashes, problems }
}

/** Reading a piece of an answer changes nothing outside: its two sides are one. */
const sidesOf = (name = ''): readonly CrashPoint['side'][] =>
  name.endsWith(pieceMark) ? ['before'] : ['before', 'after']

interface Lived {
  readonly crossings: readonly string[]
  readonly problems: readonly string[]
  readonly state: readonly string[]
  readonly world: World
  /** What was known at the crash; absent when there was none. */
  readonly ledger?: CrashLedger
  /** Effects before the crash. */
  readonly before: number
  readonly hasUncertainRun: boolean
  readonly uncertainMessages: readonly string[]
}

async function live(scenario: CrashScenario, options: CrashKitOptions, crash?: CrashPoint): Promise<Lived> {
  const setup = await options.harness.create()
  try {
    return await liveOver(setup, scenario, options, crash)
  } finally {
    await setup.dispose?.()
  }
}

async function liveOver(
  setup: StoreSetup<RuntimeStore>,
  scenario: CrashScenario,
  options: CrashKitOptions,
  crash: CrashPoint | undefined,
): Promise<Lived> {
  let { store } = setup
  const world = createCrashFixtures(() => store)
  const client = scenario.begin()
  const open = (life: SimulatedProcess, generation: number) => {
    const runtimeOptions = toRuntimeOptions(scenario, world, life, generation)
    const channels = client.channels?.((name, effect) => life.cross(name, effect)) ?? []
    return options.createRuntime({ ...runtimeOptions, channels, store: toStoreOf(life, store) })
  }
  const preparing = open(createSimulatedProcess(), 0)
  await scenario.prepare(preparing)
  await preparing.close()

  const life = createSimulatedProcess(crash)
  const first = open(life, 1)
  const problems = await within(
    Promise.race([finish(client, first, life), life.over.then(() => undefined)]),
    life,
  )
  if (!life.isOver()) {
    life.end()
    await life.settled()
    return toLived(store, world, { problems: problems ?? [], crossings: life.crossings })
  }
  // Nothing of it happens any more. What was on its way has happened, as it may have with a real kill.
  await life.settled()
  const before = world.effects.length
  const verifying = scenario.tools.filter(({ verifies }) => verifies)
  const ledger = await readLedger(store, new Set(verifying.map(({ id }) => id)))
  if (setup.reopen) store = await setup.reopen()
  world.pass(downMs)
  const secondLife = createSimulatedProcess()
  const second = open(secondLife, 2)
  const left = await within(finish(client, second, secondLife), secondLife)
  secondLife.end()
  await secondLife.settled()
  return toLived(store, world, { problems: left ?? [], crossings: life.crossings, before, ledger })
}

async function finish(
  client: CrashClient,
  runtime: AgentRuntime,
  life: SimulatedProcess,
): Promise<readonly string[]> {
  await client.work(runtime, (name, effect) => life.cross(name, effect))
  const problems = (await client.problems?.(runtime)) ?? []
  await runtime.close()
  return problems
}

async function within(
  work: Promise<readonly string[] | undefined>,
  life: SimulatedProcess,
): Promise<readonly string[] | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<readonly string[]>()
  const giveUp = () =>
    resolve([`the work did not end; the last thing that was done: ${life.crossings.at(-1)}`])
  const timer = setTimeout(giveUp, maxWorkMs)
  try {
    return await Promise.race([work, late])
  } catch (error) {
    return [`the work failed: ${String(error)}`]
  } finally {
    clearTimeout(timer)
  }
}

async function toLived(
  store: RuntimeStore,
  world: World,
  known: Pick<Lived, 'problems' | 'crossings'> & Partial<Pick<Lived, 'before' | 'ledger'>>,
): Promise<Lived> {
  const runs = await runsOf(store)
  const results = runs.map(({ result }) => result && 'code' in result && result.code)
  const hasUncertainRun = results.includes('effect_uncertain')
  const messages = await messagesOf(store)
  const uncertainMessages = messages.flatMap(({ status, text }) => (status === 'uncertain' ? [text] : []))
  const state = await finalStateOf(store)
  return { before: 0, ...known, state, world, hasUncertainRun, uncertainMessages }
}

function toRuntimeOptions(
  { models, tools, ownTools, functions, guards, ...rules }: CrashScenario,
  world: World,
  life: SimulatedProcess,
  generation: number,
): RuntimeOptions {
  let ids = 0
  return {
    models: { crash: (id) => createScriptModel(life, id, models[id] ?? [], { ...rules, tools }) },
    tools: [
      ...tools.map((tool) => world.toolOf(life, tool)),
      ...(ownTools?.(generation) ?? []).map((tool) => world.watch(life, tool)),
    ],
    ...functions?.(generation),
    ...(guards && { guards: guards((name, effect) => life.cross(name, effect)) }),
    now: world.now,
    createId: () => `crash-${generation}-${(ids += 1)}`,
    random: () => 0.5,
    environment: {},
    compaction: false,
  }
}

/** Everything that is not as it has to be behind a crash. */
function compare(undisturbed: Lived, tried: Lived): string[] {
  const problems = [...tried.world.problems, ...repeated(undisturbed, tried)]
  const mayBeUncertain = (tried.ledger?.uncertain.length ?? 0) > 0
  if (tried.hasUncertainRun && !mayBeUncertain) {
    problems.push('a run ended as effect_uncertain, and no tool that may be called once was in flight')
  }
  if (mayBeUncertain && !tried.hasUncertainRun) {
    problems.push(`nobody was told that it is uncertain whether ${tried.ledger?.uncertain.join()} was done`)
  }
  const unfounded = tried.uncertainMessages.filter((text) => tried.ledger?.sending.includes(text) !== true)
  problems.push(...unfounded.map((text) => `the answer to ${text} is uncertain, and was not being sent`))
  // A person decides how it goes on.
  if (mayBeUncertain || tried.uncertainMessages.length > 0) return problems
  const lost = minus(undisturbed.state, tried.state).map((line) => `lost: ${line}`)
  const more = minus(tried.state, undisturbed.state).map((line) => `not there without the crash: ${line}`)
  return [...problems, ...lost, ...more]
}

function repeated(undisturbed: Lived, { world, ledger, before }: Lived): string[] {
  const problems: string[] = []
  const names = world.effects.map(callName)
  const wanted = undisturbed.world.effects.map(callName)
  for (const [index, effect] of world.effects.entries()) {
    const name = callName(effect)
    const isAgain = names.indexOf(name) < index
    if (!wanted.includes(name)) problems.push(`${name} was called, which nobody asked for`)
    if (isAgain && effect.isOnce) problems.push(`${name} was called twice, and may be called once`)
    if (isAgain && world.effects[names.indexOf(name)]?.key !== effect.key) {
      problems.push(`${name} was called again with another idempotency key`)
    }
    if (index >= before && ledger?.done.has(name)) {
      problems.push(`${name} was called again, and its outcome was known`)
    }
  }
  return problems
}
