import { APICallError } from '@ai-sdk/provider'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { RunsContext } from '../runs-options.ts'
import type { ModelChain } from './model-chain.ts'

/** Makes one attempt of a model call, and reports how long it took and how it ended. */
export async function measureCall(
  { onModelCall, now }: Pick<RunsContext, 'onModelCall' | 'now'>,
  { agentId, current }: Pick<ModelChain, 'agentId' | 'current'>,
  attempt: () => Promise<void>,
): Promise<void> {
  if (!onModelCall) return attempt()
  const startedAtMs = now()
  const end = (error?: { readonly errorType: string }) =>
    onModelCall({ agentId, model: current.name, durationMs: Math.max(0, now() - startedAtMs), ...error })
  try {
    await attempt()
  } catch (error) {
    end({ errorType: errorTypeOf(error) })
    throw error
  }
  end()
}

/** There are few of them, so that they can be a label: a status, a code, or the word that OpenTelemetry has for others. */
function errorTypeOf(error: unknown): string {
  if (RuntimeError.is(error)) return error.code
  const status = APICallError.isInstance(error) ? error.statusCode : undefined
  return status !== undefined && status >= 400 && status <= 599 ? String(status) : '_OTHER'
}
