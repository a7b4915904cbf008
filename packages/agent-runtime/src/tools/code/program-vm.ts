import { createEngine, type Engine, type EngineValue } from './load-engine.ts'
import {
  maxOutputChars,
  maxProgramCalls,
  maxWorkMs,
  type ProgramCall,
  type ProgramEnd,
  type ProgramInput,
  type ProgramReport,
} from './program-messages.ts'

/** A program in a sandbox. Each step works until the program waits. */
export interface ProgramVm {
  step(input: ProgramInput): Promise<ProgramReport>
}

/** Evaluates a script that may use `await`, and gives a promise of its value. */
const awaitsFlag = 128
const maxMemoryBytes = 64 * 1024 * 1024
/** Characters of the arguments of one call. */
const maxArgumentChars = 262_144
const cutMark = '… [cut]'

const stops = {
  work: `The program was stopped: it worked longer than ${maxWorkMs / 1000} s. Waiting for tools does not count`,
  calls: `The program was stopped: it made more than ${maxProgramCalls} calls`,
  memory: 'The program was stopped: it used more than 64 MiB of memory',
  stack: 'The program was stopped: its functions call each other too deeply. Use a loop',
}

/**
 * Runs inside of the sandbox. It hands nothing but text to the host, so it does not matter what a program does to the built-in
 * objects that it uses.
 */
const setup = `(names, call, log, end) => {
  'use strict'
  const { parse, stringify } = JSON
  const open = new Map()
  const show = (value) => {
    if (typeof value === 'string') return value
    if (value instanceof Error) return value.name + ': ' + value.message
    try { return stringify(value) ?? String(value) } catch { return String(value) }
  }
  const write = (...parts) => log(parts.map(show).join(' '))
  globalThis.console = { log: write, info: write, warn: write, error: write, debug: write }
  const tools = { __proto__: null }
  for (const name of parse(names))
    tools[name] = (args = {}) => new Promise((resolve, reject) => {
      open.set(call(name, stringify(args) ?? 'null'), { resolve, reject })
    })
  globalThis.tools = Object.freeze(tools)
  const explain = (error) => {
    if (!(error instanceof Error)) return 'Thrown: ' + show(error)
    const line = /program\\.js:(\\d+)/.exec(error.stack)?.[1]
    const functions = error.message === 'not a function' ? '. The functions of tools are: ' + Object.keys(tools).join(', ') : ''
    return show(error) + (line ? ' (line ' + line + ')' : '') + functions
  }
  const fail = (error) => {
    let text = 'Thrown: a value that cannot be shown'
    try { text = explain(error) } catch {}
    end(false, text)
  }
  return {
    run: (promise, isScript) => void (async () => {
      const given = await promise
      const text = stringify(await (isScript ? given.value : given))
      end(true, typeof text === 'string' ? text : '')
    })().catch(fail),
    settle(index, text, hasFailed) {
      const { resolve, reject } = open.get(index)
      open.delete(index)
      if (hasFailed) reject(new Error(text))
      else resolve(parse(text))
    },
  }
}`

/**
 * Creates a sandbox for one program. It has no network, no files and no timers. Its clock stands still while the program works, and
 * its random numbers come from a seed, so a program that gets the same inputs makes the same calls.
 *
 * @param workMs longest that it may work, in milliseconds
 */
export function createProgramVm(workMs = maxWorkMs): ProgramVm {
  let machine: Machine | undefined
  return {
    async step(input) {
      if (input.kind === 'start') {
        machine = await createMachine(input, workMs)
        return machine.work(input.now, (vm) => vm.start(input))
      }
      if (!machine) throw new Error('Running the program failed: it was not started. Start it first.')
      return machine.work(input.now, (vm) => vm.settle(input))
    },
  }
}

interface Machine {
  work(now: number, step: (vm: Steps) => void): ProgramReport
}

interface Steps {
  start(input: Extract<ProgramInput, { kind: 'start' }>): void
  settle(input: Extract<ProgramInput, { kind: 'settle' }>): void
}

/** State of a program. */
interface State {
  /** Milliseconds since 1970 of its clock. */
  now: number
  /** Milliseconds that it may still work. */
  leftMs: number
  /** When the work of this step has to end, by `performance.now()`. */
  deadline: number
  callCount: number
  calls: ProgramCall[]
  log: string
  stop: keyof typeof stops | undefined
  end: { readonly isValue: boolean; readonly text: string; readonly isFatal: boolean } | undefined
  /** Rejections that nobody has handled, by the promise. */
  readonly rejections: Map<number, string>
}

async function createMachine(
  { seed, tools }: Extract<ProgramInput, { kind: 'start' }>,
  workMs: number,
): Promise<Machine> {
  const state: State = {
    now: seed,
    leftMs: workMs,
    deadline: Infinity,
    callCount: 0,
    calls: [],
    log: '',
    stop: undefined,
    end: undefined,
    rejections: new Map(),
  }
  const vm = await openSandbox(state)
  const { run, settle } = install(vm, state, tools)
  const steps: Steps = {
    start({ code }) {
      const isScript = compiles(vm, code)
      const source = isScript ? code : `(async () => {${code}\n})()`
      const flags = isScript ? awaitsFlag : 0
      const promise = vm.evalCode(source, 'program.js', flags)
      vm.callFunction(run, vm.undefined, promise, isScript ? vm.true : vm.false).dispose()
      promise.dispose()
    },
    settle({ index, text, hasFailed }) {
      const given = [vm.newNumber(index), vm.newString(text)]
      vm.callFunction(settle, vm.undefined, ...given, hasFailed ? vm.true : vm.false).dispose()
      for (const handle of given) handle.dispose()
    },
  }
  return { work: (now, step) => work(vm, state, now, () => step(steps)) }
}

function openSandbox(state: State): Promise<Engine> {
  return createEngine({
    memoryLimit: maxMemoryBytes,
    timezoneOffset: 0,
    interruptHandler() {
      if (performance.now() > state.deadline) state.stop ??= 'work'
      return state.stop !== undefined
    },
    onUnhandledRejection(promise, reason, isHandled) {
      if (isHandled) state.rejections.delete(promise.identity)
      else state.rejections.set(promise.identity, messageOf(reason))
    },
    // The random numbers begin with the time at which the sandbox is made: that is the seed.
    wasi: (memory) => ({
      clock_time_get(_clock, _precision, result) {
        const nanoseconds = BigInt(Math.trunc(state.now)) * 1_000_000n
        new DataView(memory.buffer).setBigUint64(result, nanoseconds, true)
        return 0
      },
    }),
  })
}

function messageOf(reason: EngineValue): string {
  try {
    return reason.isObject ? reason.getProp('message').toString() : reason.toString()
  } catch {
    return 'an error'
  }
}

/** Gives the program its functions. They reach it as values: it cannot get at the host through them. */
function install(vm: Engine, state: State, tools: readonly string[]) {
  const call = vm.newFunction('call', (tool = vm.undefined, args = vm.undefined) => {
    const text = args.toString()
    if (text.length > maxArgumentChars)
      throw new Error(`The arguments of a call must have at most ${maxArgumentChars} characters as JSON`)
    if (state.callCount >= maxProgramCalls) {
      state.stop ??= 'calls'
      throw new Error(stops.calls)
    }
    const index = state.callCount
    state.callCount += 1
    state.calls.push({ index, tool: tool.toString(), args: text })
    return vm.newNumber(index)
  })
  const log = vm.newFunction('log', (text = vm.undefined) => {
    if (state.log.length <= maxOutputChars) state.log += `${text.toString().slice(0, maxOutputChars)}\n`
    return vm.undefined
  })
  const end = vm.newFunction('end', (isValue = vm.undefined, text = vm.undefined) => {
    state.end ??= { isValue: isValue.toBoolean(), text: text.toString(), isFatal: false }
    return vm.undefined
  })
  const names = vm.newString(JSON.stringify(tools))
  const made = vm.callFunction(vm.evalCode(setup, 'setup.js'), vm.undefined, names, call, log, end)
  return { run: made.getProp('run'), settle: made.getProp('settle') }
}

/** Whether a program is a script. One with a `return` at its top is the body of a function. */
function compiles(vm: Engine, code: string): boolean {
  try {
    vm.compile(code, 'program.js', awaitsFlag)
    return true
  } catch {
    return false
  }
}

function work(vm: Engine, state: State, now: number, step: () => void): ProgramReport {
  const begunAt = performance.now()
  state.now = now
  state.deadline = begunAt + Math.max(0, state.leftMs)
  state.calls = []
  try {
    step()
    vm.executePendingJobs()
  } catch (error) {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    if (message.includes('out of memory')) state.stop ??= 'memory'
    if (isStackFull(message)) state.stop ??= 'stack'
    state.end = { isValue: false, text: message, isFatal: true }
  }
  state.leftMs -= performance.now() - begunAt
  if (state.stop) state.end = { isValue: false, text: stops[state.stop], isFatal: true }
  return { calls: state.calls, ...(state.end && { end: toEnd(state, state.end) }) }
}

/** The sandbox has no room left for another call: the engine traps, or the thread's own stack ends. */
const isStackFull = (message: string) =>
  message.includes('memory access out of bounds') || message.includes('call stack size')

function toEnd(
  { log, rejections }: State,
  { isValue, text, isFatal }: NonNullable<State['end']>,
): ProgramEnd {
  const lost = isValue ? [...rejections.values()].map((message) => `Not handled: ${message}\n`) : []
  const whole = log + lost.join('')
  if (!isValue) return { kind: 'error', message: cut(text, 2000), log: cut(whole, 2000), isFatal }
  const value = cut(text, maxOutputChars)
  return {
    kind: 'value',
    // a part of JSON becomes a string
    value: value === text ? text || undefined : JSON.stringify(value),
    log: cut(whole, maxOutputChars - value.length),
  }
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text
  return length < cutMark.length ? '' : text.slice(0, length - cutMark.length).toWellFormed() + cutMark
}
