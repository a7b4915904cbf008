import type { Channel } from '../../ports/channel.ts'
import type { AgentRuntime } from '../../runtime/runtime.ts'
import type { ScriptedStep } from '../scripted-model.ts'
import type { Life } from './life.ts'
import type { CrashTool } from './world.ts'

/** Work that is done once undisturbed, and then again and again with a crash at each point of it. */
export interface CrashScenario {
  readonly name: string
  readonly tools: readonly CrashTool[]
  /** Answers of the models `crash/<id>`, in their order, by the number of answers that there are already. */
  readonly models: Readonly<Record<string, readonly ScriptedStep[]>>
  /** Longer prompts are rejected, a token counted as four characters of JSON. @default no limit */
  readonly windowTokens?: number | undefined
  /** Bytes of a file that each prompt must have; one without them is rejected. @default none */
  readonly mustRead?: Uint8Array | undefined
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
  /** Asks for the work over a runtime and waits for its end. Called again with the next runtime behind a crash. */
  work(runtime: AgentRuntime): Promise<void>
  /** Messaging channels of a process, to a platform that outlives it; what is sent to it goes through `cross`. */
  channels?(cross: Life['cross']): readonly Channel[]
  /** What this client has to say against what it saw. Called at the end. */
  problems?(runtime: AgentRuntime): Promise<readonly string[]>
}
