/** Messages to a program, in order. Times are milliseconds since 1970. */
export type ProgramInput =
  | {
      readonly kind: 'start'
      readonly code: string
      /** Names of its functions. */
      readonly tools: readonly string[]
      /** The same seed gives the same random numbers. At most 2^52. */
      readonly seed: number
      readonly now: number
    }
  | {
      readonly kind: 'settle'
      /** Number of the call, from 0 on. */
      readonly index: number
      /** JSON of its result, or why it failed. */
      readonly text: string
      readonly hasFailed: boolean
      readonly now: number
    }

/** A call that a program makes. */
export interface ProgramCall {
  readonly index: number
  readonly tool: string
  /** JSON that the program wrote: nobody has checked it. */
  readonly args: string
}

/** How a program ended: with a value, or with an error. `isFatal`: it was stopped. */
export type ProgramEnd =
  | {
      readonly kind: 'value'
      /** JSON; undefined for nothing. */
      readonly value: string | undefined
      readonly log: string
    }
  | { readonly kind: 'error'; readonly message: string; readonly log: string; readonly isFatal: boolean }

/** How far a program has come, when it can do nothing without another input. */
export interface ProgramReport {
  /** New calls, in the order in which it made them. */
  readonly calls: readonly ProgramCall[]
  /** Present once it is done. Calls may still be open that it does not wait for. */
  readonly end?: ProgramEnd
}

/** Longest that a program may work, in milliseconds. The time that it waits for tools does not count. */
export const maxWorkMs = 10_000
/** Calls of one program. */
export const maxProgramCalls = 1000
/** Characters that come back: the value first, then the log. */
export const maxOutputChars = 20_000
