import type { Question } from './tool.ts'

/** Request of `run_code` to the run: run a program whose calls are calls of the run. */
export interface ProgramQuestion extends Question {
  readonly kind: 'program'
  readonly code: string
  /** Ids of the tools that the program can call. */
  readonly tools: readonly string[]
}
