import {
  createThingPlans,
  type ThingSignal,
  thingMigrations,
  type ThingTables,
} from '../../sql/testing/things.ts'
import type { Plan } from '../../sql/plan.ts'
import { type ConnectionDefaults, connect, type ConnectionSettings } from '../connect.ts'
import { createGroupWriter } from '../group-writer.ts'
import { migrate } from '../migrate.ts'
import { createPostgresBuilder } from '../postgres-builder.ts'
import { createReader } from '../reader.ts'
import { createRunStep } from '../session.ts'
import { createWriter } from '../writer.ts'

/** What is taken for settings that a test does not give. */
export const testDefaults: ConnectionDefaults = {
  schema: 'things',
  maxConnections: 8,
  leastConnections: 2,
  applicationName: 'things',
}

/** Both ways to write. */
export const writers = ['writer', 'group writer'] as const

/** A schema of things with a reader and one of the writers. */
export async function openThings(kind: (typeof writers)[number], settings: ConnectionSettings) {
  const connections = await connect(settings, testDefaults)
  const builder = createPostgresBuilder<ThingTables>()
  await migrate(connections, builder, thingMigrations)
  const { pool, schema } = connections
  const runStep = createRunStep()
  const told: ThingSignal[] = []
  const options = {
    pool,
    runStep,
    random: Math.random,
    missed: [{ topic: 'missed' }] as const,
    emit: (signals: readonly ThingSignal[]) => void told.push(...signals),
  }
  const alone = createWriter<ThingSignal>(options)
  const group = createGroupWriter<ThingSignal>({ ...options, namespace: schema, lanes: 4 })
  return {
    connections,
    plans: createThingPlans(builder),
    told,
    read: createReader({ pool, runStep }),
    /** In a transaction that is alone with the thing of this id. */
    write: <Result>(id: string, plan: () => Plan<Result, ThingSignal>): Promise<Result> =>
      kind === 'writer' ? alone(plan) : group.write(plan, { alone: [id] }),
    close: async () => {
      await group.drain()
      await pool.end()
    },
  }
}
