import { createHash } from 'node:crypto'
import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import { toCacheOptions } from '../../models/fit/prompt-cache.ts'
import type { ActiveRun } from '../active-run.ts'

/**
 * Call options that let the provider cache the prompt of a run.
 *
 * @returns undefined if the agent does not want it
 */
export function cacheOptionsOf({
  agent,
  run,
}: Pick<ActiveRun, 'agent' | 'run'>): SharedV4ProviderOptions | undefined {
  const { prompt_cache: ttl = '5m' } = agent
  if (ttl === 'off') return undefined
  const key = createHash('sha256')
    .update(JSON.stringify([run.agentId, run.conversationId]))
    .digest('hex')
  return toCacheOptions({ ttl, key: key.slice(0, 32) })
}
