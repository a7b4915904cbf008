import type { Channel } from '../../ports/channel.ts'
import type { Tool } from '../../ports/tool.ts'
import type { RuntimeOptions } from '../../runtime/runtime-options.ts'
import type { Guards } from '../../ports/guard.ts'
import type { AgentRuntime } from '../../runtime/runtime.ts'
import type { ScriptedStep } from '../scripted-model.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { CrashTool } from './crash-fixtures.ts'

/** Work that runs once undisturbed, and then again with a crash at each of its points. */
export interface CrashScenario {
  readonly name: string
  readonly tools: readonly CrashTool[]
  /**
   * Tools of your app in each process, by its number starting at 1, from `defineTool` or handwritten.
   *
   * `crashConformance` kills the process before and after each call. Each call needs different arguments, because
   * they identify the call.
   *
   * @default no tools
   */
  readonly ownTools?: (process: number) => readonly Tool[]
  /** Answers of the models `crash/<id>` in their order, by the number of earlier answers. */
  readonly models: Readonly<Record<string, readonly ScriptedStep[]>>
  /** Functions of your app in each process, by its number starting at 1. @default no functions */
  readonly functions?: (process: number) => Pick<RuntimeOptions, 'contextFor' | 'modelFor' | 'skillsFor'>
  /** Context window in tokens; longer prompts are rejected. A token is four characters of JSON. @default no limit */
  readonly windowTokens?: number | undefined
  /** Bytes of a file that each prompt must contain; other prompts are rejected. @default no file */
  readonly mustRead?: Uint8Array | undefined
  /** Guards of a process. Their external calls use `cross`. @default no guards */
  guards?(cross: SimulatedProcess['cross']): Guards
  /** Creates data that the work needs. Not disturbed. */
  prepare(runtime: AgentRuntime): Promise<void>
  /**
   * Starts a client. If a process is killed, the client repeats the work with the next one: it sends the same
   * requests with the same idempotency keys, as a client without a response does.
   */
  begin(): CrashClient
}

/** A client that requests work and outlives the process that does it. */
export interface CrashClient {
  /**
   * Requests the work from a runtime and waits for its end. Called again with the next runtime after a crash. Calls
   * of the client to other services must use `cross`.
   */
  work(runtime: AgentRuntime, cross: SimulatedProcess['cross']): Promise<void>
  /** Messaging channels of a process, to a platform that outlives it. Messages to it use `cross`. */
  channels?(cross: SimulatedProcess['cross']): readonly Channel[]
  /** Returns the problems that this client observed. Called at the end. */
  problems?(runtime: AgentRuntime): Promise<readonly string[]>
}
