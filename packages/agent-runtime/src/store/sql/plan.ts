import type { Plan as SqlPlan } from '@homeward/kit/sql'
import type { StoreSignal } from '../ports/store-signal.ts'

/** What a verb does, statement by statement, and what those who wait are told of it. */
export type Plan<Result> = SqlPlan<Result, StoreSignal>
