import type { Json } from '@homeward/contract/agent-platform'
import type { ToolResult } from '../../ports/message.ts'

/** A tool call that is about to be made. The effect ledger records it before the call. */
export interface EffectIntent {
  /** Key that is unique to this call of this run, and the same for every retry of it. */
  readonly key: string
  /** Id of the model's tool call. */
  readonly callId: string
  readonly tool: string
  /** SHA-256 of the arguments in canonical JSON. */
  readonly argsHash: string
  /** Whether the call can be repeated if its outcome is unknown. */
  readonly repeat: 'safe' | 'once'
  /** Whether the call stopped to wait for an answer. It then starts again from its beginning. @default false */
  readonly isParked?: boolean
  /** Present if a program makes the call. */
  readonly inner?: InnerEffect
}

/** Ledger entry of a call of a program, so that the program can run again. Times are milliseconds since 1970. */
export interface InnerEffect {
  /** Id of the `run_code` call. */
  readonly of: string
  /** Its number in the program, from 0 on. */
  readonly index: number
  readonly args: Json
  /** When the program was started for the first time. */
  readonly begunAt: number
  /** Whether it waits for approval, so that nothing of it was done. @default false */
  readonly isAsked?: boolean
  /** How many calls had ended before it; absent until it has ended itself. */
  readonly order?: number
  readonly endedAt?: number
  /** Whether its events are stored. @default false */
  readonly isTold?: boolean
}

/** Outcome of a tool call. The effect ledger records it after the call. */
export interface EffectOutcome {
  readonly key: string
  readonly result: ToolResult
  /** Whether the result may contain untrusted content. */
  readonly untrusted: boolean
  /** Whether guards still have to check the result. Nobody receives it before. @default false */
  readonly isUnchecked?: boolean
}

/** A tool call that stopped to wait for an answer, while others of its turn go on. */
export type ParkedEffect = Pick<EffectOutcome, 'key'> & { readonly isParked: true }

/** A tool call of the newest step, as recorded in the ledger. */
export interface StoredEffect extends EffectIntent {
  /** Outcome; absent while unknown. */
  readonly outcome?: EffectOutcome
}
