import { backoffMs, jitterMs, sleep } from '@homeward/kit'
import { DeviceCloudError } from '../device-cloud-error.ts'
import { allowsScope } from '../policy/device-policy.ts'
import type { CatalogSource, CatalogTask } from '../ports/catalog-source.ts'
import type { AgentContext } from './agent-context.ts'
import { toOwnError } from './is-final.ts'

/** Between two questions to the source. */
const lookEveryMs = 60_000
const pauses = { baseMs: 60_000, capMs: 3_600_000 } as const

/** Leaves the list of this device's files with the cloud, or takes it back, as the source of the list says. */
export function createCatalogLoop(context: AgentContext, source: CatalogSource) {
  const { client, policy, emit, random, timers, admitted, noteError } = context

  async function send(task: CatalogTask, signal: AbortSignal): Promise<void> {
    if (task.kind === 'remove') {
      await client.removeCatalog?.(signal).catch(passOverMissing)
      await task.done()
      emit('catalog:end', { kind: 'removed' })
      return
    }
    try {
      // The policy counts at this moment, whatever the source shares.
      if (!allowsScope(policy, 'files') || client.sendCatalog === undefined) return
      const { files } = await client.sendCatalog(task.content, signal)
      await task.done()
      emit('catalog:end', { kind: 'sent', files })
    } finally {
      await task.release()
    }
  }

  return {
    async run(signal: AbortSignal): Promise<void> {
      let failures = 0
      while (!signal.aborted) {
        await admitted(signal)
        if (signal.aborted) return
        let restMs = jitterMs(lookEveryMs, random)
        try {
          const task = await source.next(signal)
          if (task) await send(task, signal)
          failures = 0
        } catch (cause) {
          if (signal.aborted) return
          const error = toOwnError(cause, 'Sending the catalog')
          noteError(error)
          failures += 1
          restMs = Math.max(backoffMs({ ...pauses, failures, random }), error.retryAfterMs ?? 0)
          emit('catalog:error', { error, retryInMs: restMs })
        }
        await sleep(restMs, signal, timers)
      }
    },
  }
}

/** A cloud that has no catalogs has none of this device. */
function passOverMissing(error: unknown): void {
  const status = DeviceCloudError.is(error) ? error.status : undefined
  if (status !== 404 && status !== 405) throw error
}
