import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { JsonObject, RunEvent } from '@homeward/contract/agent-platform'
import type { ToolResult } from '../../ports/message.ts'
import type { RuntimeError } from '../../ports/runtime-error.ts'
import type { Model } from '../../ports/model.ts'
import type { RunnableCall } from '../calls/plan-calls.ts'
import type { ModelTurn } from './answer.ts'
import type { ModelChain } from './model-chain.ts'
import type { RunPause } from './run.ts'

type CallOptions = LanguageModelV4CallOptions
type MaybePromise<Value> = Value | Promise<Value>

/**
 * A feature of a run, such as its guards or its budget. A run has only the stages that it needs (see `stages-of.ts`), and the
 * loop knows none of them. Stages are asked in their order. Each hook is optional.
 */
export interface Stage {
  /** A run has one stage of a name at most. */
  readonly name: string
  /** Before the tools and the prompt are made, each time that a process takes the run up. */
  prepare?(): Promise<void>
  /** Before a turn begins: decides what kind of turn it is, or that there is none. */
  turn?(next: NextTurn): MaybePromise<void>
  /** Changes what a turn asks the model. */
  prompt?(options: CallOptions): CallOptions
  /** Changes one attempt of a call, for the model that is asked now. A `RuntimeError` counts as a failure of that attempt. */
  fit?(options: CallOptions, attempt: Attempt): MaybePromise<CallOptions>
  /** Lets an attempt be made, and hears how it ended. An error ends the call. */
  admit?(options: CallOptions, model: string): Promise<CallOptions>
  ended?(turn: ModelTurn, cause: unknown): Promise<void>
  /** Sends an attempt, around the model itself. */
  send?(options: CallOptions, model: string, send: Send): ReturnType<Send>
  /** Stands between an answer that comes and those who listen. Nothing of it is shown or kept before {@link answer} was asked. */
  listen?(tell: Tell): Tell
  /** Changes an answer before it is kept. */
  answer?(turn: ModelTurn): MaybePromise<ModelTurn>
  /** Rules on calls, by changing the questions. */
  calls?(questions: readonly CallQuestion[]): Promise<void>
  /** Changes the result of a call before it is told and kept. @returns undefined when the run goes on somewhere else */
  result?(question: ResultQuestion): Promise<ToolResult | undefined>
  /** Before a run stops: changes how, or lets it go on with another turn. */
  end?(stopping: Stopping): MaybePromise<void>
}

/** Tells those who follow the run. */
export type Tell = (event: RunEvent) => void

/** Makes the request of a model call. */
export type Send = (options: CallOptions) => ReturnType<Model['doStream']>

/** Why a run stops by itself. */
export type SelfStop = 'done' | 'max_turns' | 'max_tokens'

/** The turn that comes next. */
export interface NextTurn {
  /** Whether it counts for `max_turns`. */
  counts: boolean
  /** Whether tools are offered: not once all turns are used. */
  readonly offersTools: boolean
  /** Set for a last answer without tools, once all turns are used. */
  sumUp: SumUp | undefined
  /** Set when there is no further turn. */
  stop: SelfStop | undefined
  /** Set when something has to come before it. */
  pause?: RunPause | undefined
}

/** How a run is asked for a last answer. */
export interface SumUp {
  readonly task: string
  /** Whether the run ends well without one. */
  readonly isOptional: boolean
}

/** An attempt at a model call. */
export interface Attempt {
  readonly chain: ModelChain
  readonly offersTools: boolean
  /** What the run is to warn of when the attempt goes well. */
  readonly warnings: string[]
}

/** A call of which somebody has to say whether it is made. */
export interface CallQuestion {
  checked: RunnableCall
  /** `new`: nobody has decided yet. `approved`: a person has. `known`: the ledger has it. */
  readonly state: 'new' | 'approved' | 'known'
  /** Whether its arguments are those of a person, not of the stored answer. */
  readonly isEdited: boolean
  ruling: Ruling | undefined
}

/** What becomes of a call. Without a ruling it is made. */
export type Ruling =
  | { readonly kind: 'ask' }
  | { readonly kind: 'deny'; readonly problem: string }
  | { readonly kind: 'respond'; readonly text: string }

/** A result that is to be checked. */
export interface ResultQuestion {
  /** What the ledger knows the call by. */
  readonly key: string
  readonly args: JsonObject
  readonly result: ToolResult
}

/** A run that is about to stop. */
export interface Stopping {
  /** A limit that was reached stays the reason, also when the output is invalid. */
  stop: SelfStop | 'error'
  error: RuntimeError | undefined
  /** Whether another model call is allowed. */
  canGoOn: boolean
  /** Set to take another turn instead. */
  goesOn: boolean
}
