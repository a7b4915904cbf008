import { createHash } from 'node:crypto'
import { toCacheOptions } from '../../models/fit/prompt-cache.ts'
import type { Run } from '../loop/run.ts'
import type { Stage } from '../loop/stage.ts'

/** Lets the provider cache the prompt of a run. */
export function promptCacheStage({ row }: Run, ttl: '5m' | '1h'): Stage {
  const key = createHash('sha256')
    .update(JSON.stringify([row.agentId, row.conversationId]))
    .digest('hex')
  const providerOptions = toCacheOptions({ ttl, key: key.slice(0, 32) })
  return { name: 'prompt-cache', prompt: (options) => ({ ...options, providerOptions }) }
}
