import type { Json } from '@homeward/contract/agent-platform'
import type { ToolResult } from '../../ports/message.ts'

/** A tool call that is about to be made: the entry of the effect ledger that goes before it (A8). */
export interface EffectIntent {
  /** Unique to this call of this run, and the same for every repeat of it. */
  readonly key: string
  /** Id of the model's tool call. */
  readonly callId: string
  readonly tool: string
  /** SHA-256 of the arguments as canonical JSON. */
  readonly argsHash: string
  /** Whether it can be made again when it is not known how it ended. */
  readonly repeat: 'safe' | 'once'
  /** Whether the call stopped to wait for an answer. The call then starts again from its beginning. @default false */
  readonly isParked?: boolean
  /** Present if a program makes it. */
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

/** How a tool call ended: the entry of the effect ledger behind it. */
export interface EffectOutcome {
  readonly key: string
  readonly result: ToolResult
  /** Whether the result may hold content that a stranger made. */
  readonly untrusted: boolean
  /** Whether the guards of tool results have not seen the result: nobody gets it before. @default false */
  readonly isUnchecked?: boolean
}

/** A tool call that stopped to wait for an answer, while others of its turn go on. */
export type ParkedEffect = Pick<EffectOutcome, 'key'> & { readonly isParked: true }

/** A tool call of the newest step, as the ledger has it. */
export interface StoredEffect extends EffectIntent {
  /** Absent while it is not known how it ended. */
  readonly outcome?: EffectOutcome
}
