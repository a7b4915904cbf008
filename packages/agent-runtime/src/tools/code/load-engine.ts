import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

/** A value inside of the sandbox. */
export interface EngineValue {
  readonly identity: number
  readonly isObject: boolean
  getProp(name: string): EngineValue
  toBoolean(): boolean
  toString(): string
  dispose(): void
}

/** A sandbox of `quickjs-wasi`: what a program needs of it. */
export interface Engine {
  readonly undefined: EngineValue
  readonly true: EngineValue
  readonly false: EngineValue
  newNumber(value: number): EngineValue
  newString(value: string): EngineValue
  newFunction(name: string, call: (...args: EngineValue[]) => EngineValue): EngineValue
  compile(code: string, file: string, flags: number): Uint8Array
  evalCode(code: string, file: string, flags?: number): EngineValue
  callFunction(called: EngineValue, self: EngineValue, ...args: EngineValue[]): EngineValue
  executePendingJobs(): number
}

/** Options of {@link EngineModule.QuickJS}. */
interface EngineOptions {
  readonly wasm: WebAssembly.Module
  readonly memoryLimit: number
  readonly timezoneOffset: number
  interruptHandler(): boolean
  onUnhandledRejection(promise: EngineValue, reason: EngineValue, isHandled: boolean): void
  wasi(memory: WebAssembly.Memory): {
    clock_time_get(clock: number, precision: bigint, result: number): number
  }
}

interface EngineModule {
  readonly QuickJS: { create(options: EngineOptions): Promise<Engine> }
}

let compiled: Promise<WebAssembly.Module> | undefined

/**
 * Makes a sandbox. The package is an optional peer, which is found when the first program runs.
 *
 * @throws {Error} with the code `MODULE_NOT_FOUND` if it is not installed
 */
export async function createEngine(options: Omit<EngineOptions, 'wasm'>): Promise<Engine> {
  const { resolve } = createRequire(import.meta.url)
  // the package says what it exports
  const { QuickJS } = (await import(pathToFileURL(resolve('quickjs-wasi')).href)) as EngineModule
  compiled ??= WebAssembly.compile(readFileSync(resolve('quickjs-wasi/quickjs.wasm')))
  return QuickJS.create({ ...options, wasm: await compiled })
}
