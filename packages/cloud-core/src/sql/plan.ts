import type { Plan as SqlPlan } from '@homeward/kit/sql'
import type { CloudSignal } from '../ports/cloud-signal.ts'

/** What a verb does, statement by statement, and what other processes are told of it. */
export type Plan<Result> = SqlPlan<Result, CloudSignal>
