import type { Channel } from '../../ports/channel.ts'
import type { Tool } from '../../ports/tool.ts'
import type { RuntimeOptions } from '../../runtime/runtime-options.ts'
import type { Guards } from '../../ports/guard.ts'
import type { AgentRuntime } from '../../runtime/runtime.ts'
import type { ScriptedStep } from '../scripted-model.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { CrashTool } from './crash-fixtures.ts'

/** Work that is done once undisturbed, and then again and again with a crash at each point of it. */
export interface CrashScenario {
  readonly name: string
  readonly tools: readonly CrashTool[]
  /**
   * Tools of your app that each process has, by its number from 1 on, made by `defineTool` or by hand. `crashConformance` kills the
   * process before and after each call. Each call needs other arguments, because the arguments identify a call. @default none
   */
  readonly ownTools?: (process: number) => readonly Tool[]
  /** Answers of the models `crash/<id>`, in their order, by the number of answers that there are already. */
  readonly models: Readonly<Record<string, readonly ScriptedStep[]>>
  /** Functions of the app that each process has, by its number from 1 on. @default none */
  readonly functions?: (process: number) => Pick<RuntimeOptions, 'contextFor' | 'modelFor' | 'skillsFor'>
  /** Longer prompts are rejected, a token counted as four characters of JSON. @default no limit */
  readonly windowTokens?: number | undefined
  /** Bytes of a file that each prompt must have; one without them is rejected. @default none */
  readonly mustRead?: Uint8Array | undefined
  /** Guards of a process; what they ask outside goes through `cross`. @default none */
  guards?(cross: SimulatedProcess['cross']): Guards
  /** Creates what the work needs. Not disturbed. */
  prepare(runtime: AgentRuntime): Promise<void>
  /**
   * Begins a client. What it gives does the work, and does it again with the next process when one was killed: it sends
   * the same requests with the same idempotency keys, as a client does that got no answer.
   */
  begin(): CrashClient
}

/** Somebody who wants something done, and outlives the process that does it. */
export interface CrashClient {
  /**
   * Asks for the work over a runtime and waits for its end. Called again with the next runtime behind a crash. What code of the
   * client does outside of the process goes through `cross`.
   */
  work(runtime: AgentRuntime, cross: SimulatedProcess['cross']): Promise<void>
  /** Messaging channels of a process, to a platform that outlives it; what is sent to it goes through `cross`. */
  channels?(cross: SimulatedProcess['cross']): readonly Channel[]
  /** What this client has to say against what it saw. Called at the end. */
  problems?(runtime: AgentRuntime): Promise<readonly string[]>
}
