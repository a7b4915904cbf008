import type { RunContext } from './run-context.ts'
import type { Tool } from './tool.ts'

/** Returns the instructions of one run. */
export type InstructionsFor<Context = unknown> = (run: RunContext<Context>) => string | Promise<string>

/** What an agent that is defined in code has in this process, besides what is stored of it. */
export interface AgentCode {
  readonly tools: readonly Tool[]
  readonly instructions?: InstructionsFor
}

/** Your app's choices for one run, made at its start and stored with the run, so that a resumed run has the same. */
export interface RunSetup {
  /** Result of the agent's instructions function. */
  readonly instructions?: string
  /** `provider/model-id`. Replaces the agent's model. */
  readonly model?: string
  /** Replaces the agent's skills. */
  readonly skills?: readonly string[]
}
