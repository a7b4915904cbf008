import type { Kysely } from 'kysely'
import { buildOnce, all, change, compileStatement, first } from '@homeward/kit/sql'
import type { EffectOutcome, ParkedEffect, StoredEffect } from '../../ports/effect.ts'
import { fromJson } from '../json.ts'
import type { Plan } from '../plan.ts'
import { stepsPerRun } from './run-tables.ts'
import { isStepOf } from './run-statements.ts'
import type { RuntimeTables } from '../schema.ts'
import { sql } from 'kysely'

/** An outcome that is to be kept. */
interface EffectWrite {
  readonly runId: string
  readonly owner: string
  readonly outcome: EffectOutcome | ParkedEffect | StoredEffect
}

/** The verbs on the effect ledger as plans: one statement for an outcome. */
export function createEffectPlans(db: Kysely<RuntimeTables>) {
  const statements = buildOnce(db, createEffectStatements)
  return {
    *saveEffect({ runId, owner, outcome }: EffectWrite): Plan<boolean> {
      const args = { runId, owner, key: outcome.key, outcome: JSON.stringify(outcome) }
      return (yield* change(statements.save, args)) > 0
    },

    *listEffects(runId: string): Plan<StoredEffect[]> {
      const step = yield* first(statements.newestStep, { runId })
      if (step === undefined || step.intents === null) return []
      const rows = yield* all(statements.outcomes, { stepSeq: step.seq })
      const outcomes = new Map(
        rows.map(({ key, outcome }) => [key, fromJson<EffectWrite['outcome']>(outcome)]),
      )
      const effects = fromJson<StoredEffect[]>(step.intents).map((intent) => {
        const outcome = outcomes.get(intent.key)
        outcomes.delete(intent.key)
        if (outcome === undefined) return intent
        if ('callId' in outcome) return outcome
        return 'isParked' in outcome ? { ...intent, isParked: true } : { ...intent, outcome }
      })
      return [...effects, ...[...outcomes.values()].filter((each) => 'callId' in each)]
    },

    /** Forgets what is known of calls: the messages of the run say all. */
    *forgetEffects(runId: string): Plan<void> {
      yield* change(statements.forget, { runId })
    },
  }
}

/** See {@link createEffectPlans}. */
export type EffectPlans = ReturnType<typeof createEffectPlans>

type SaveArgs = { runId: string; owner: string; key: string; outcome: string }

function createEffectStatements(db: Kysely<RuntimeTables>) {
  const size = sql.lit(stepsPerRun)
  return {
    // Only while the run has a step: that is the one that announced the call.
    save: compileStatement<SaveArgs, unknown>('write', ({ runId, owner, key, outcome }) =>
      db
        .insertInto('run_effects')
        .columns(['step_seq', 'key', 'outcome'])
        .expression(
          db
            .selectFrom('runs')
            .innerJoin('run_steps', (join) =>
              join.on(
                sql<boolean>`run_steps.seq = (select max(steps.seq) from run_steps as steps
                  where steps.seq >= runs.seq * ${size} and steps.seq < (runs.seq + 1) * ${size})`,
              ),
            )
            .select([
              'run_steps.seq as step_seq',
              sql<string>`cast(${key} as text)`.as('key'),
              sql<string>`cast(${outcome} as text)`.as('outcome'),
            ])
            .where('runs.id', '=', runId)
            .where('runs.status', '=', sql.lit('running'))
            .where('runs.owner', '=', owner),
        )
        .onConflict((conflict) =>
          conflict.columns(['step_seq', 'key']).doUpdateSet({ outcome: sql<string>`excluded.outcome` }),
        ),
    ),
    newestStep: compileStatement<{ runId: string }, { seq: number; intents: string | null }>(
      'read',
      ({ runId }) =>
        db
          .selectFrom('run_steps')
          .select(['seq', 'intents'])
          .where(isStepOf(db, runId))
          .orderBy('seq', 'desc')
          .limit(sql.lit(1)),
    ),
    outcomes: compileStatement<{ stepSeq: number }, { key: string; outcome: string }>('read', ({ stepSeq }) =>
      db.selectFrom('run_effects').select(['key', 'outcome']).where('step_seq', '=', stepSeq),
    ),
    forget: compileStatement<{ runId: string }, unknown>('write', ({ runId }) => {
      const run = db.selectFrom('runs').select('seq').where('id', '=', runId)
      return db
        .deleteFrom('run_effects')
        .where(sql<boolean>`step_seq >= (${run}) * ${size} and step_seq < ((${run}) + 1) * ${size}`)
    }),
  }
}
