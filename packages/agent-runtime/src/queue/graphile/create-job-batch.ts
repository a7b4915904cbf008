import type { AddJobsJobSpec } from 'graphile-worker'

/** A ticket for a task. */
export type JobSpec = AddJobsJobSpec & { readonly jobKey: string }

/** Most tickets that one statement adds. */
const mostAtOnce = 500

/**
 * Adds jobs with as few statements as there is time for: those that come while one is under way go together with the
 * next one. A later spec of the same key replaces an earlier one.
 *
 * @param addJobs adds jobs of distinct keys, all or none.
 * @returns what adds one job; it rejects with what `addJobs` rejects with.
 */
export function createJobBatch(
  addJobs: (specs: readonly JobSpec[]) => Promise<unknown>,
): (spec: JobSpec) => Promise<void> {
  let waiting = new Map<string, { readonly spec: JobSpec; readonly added: PromiseWithResolvers<void> }>()
  let isAdding = false

  async function addAll(): Promise<void> {
    isAdding = true
    while (waiting.size > 0) {
      const all = [...waiting.entries()]
      waiting = new Map(all.slice(mostAtOnce))
      // In the order of keys: statements of two processes never wait for each other in a circle.
      const batch = all.slice(0, mostAtOnce).toSorted(([a], [b]) => (a < b ? -1 : 1))
      try {
        await addJobs(batch.map(([, { spec }]) => spec))
        for (const [, { added }] of batch) added.resolve()
      } catch (error) {
        for (const [, { added }] of batch) added.reject(error)
      }
    }
    isAdding = false
  }

  return (spec) => {
    const added = waiting.get(spec.jobKey)?.added ?? Promise.withResolvers<void>()
    waiting.set(spec.jobKey, { spec, added })
    if (!isAdding) void addAll()
    return added.promise
  }
}
