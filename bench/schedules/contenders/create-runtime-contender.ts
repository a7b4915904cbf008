import { createRuntime } from '@homeward/agent-runtime'
import type { RuntimeStore } from '@homeward/agent-runtime'
import type { CreateScheduleContender } from '../schedule-contender.ts'

const savedAtOnce = 500

/**
 * The runtime as a host starts it, without workers: what is measured is the schedule, not what agents do.
 *
 * @param kept whether a schedule counts as carried out once its task is kept; else when it is handed to the store, as
 * the others call a function and keep nothing.
 */
export function createRuntimeContender(
  createStore: (home: string) => Promise<RuntimeStore>,
  kept: boolean,
): CreateScheduleContender {
  return async (home) => {
    const store = await createStore(home)
    let onFire = () => {}
    const runtime = createRuntime({
      store: {
        ...store,
        async recordOccurrences(fires, signal) {
          if (!kept) for (const _ of fires) onFire()
          const outcomes = await store.recordOccurrences(fires, signal)
          if (kept) for (const outcome of outcomes) if (outcome === 'fired') onFire()
          return outcomes
        },
      },
      workers: { concurrency: 0 },
      environment: {},
    })
    return {
      async start(schedules, given) {
        onFire = given
        const at = new Date().toISOString()
        for (let start = 0; start < schedules.length; start += savedAtOnce) {
          const group = schedules.slice(start, start + savedAtOnce)
          await Promise.all(
            group.map((planned, index) =>
              store.insertAgent({
                id: `agent-${start + index}`,
                model: 'test/echo',
                skills: [],
                schedule_enabled: true,
                version: 1,
                created_at: at,
                updated_at: at,
                ...planned,
              }),
            ),
          )
        }
        await runtime.start()
      },
      close: () => runtime.close(),
    }
  }
}
