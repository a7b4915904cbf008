import { untilAborted } from '@homeward/kit'
import type { Logger } from '../ports/logger.ts'
import type { Embedded } from '../store/ports/memory-store.ts'
import type { EmbeddingModel } from '../ports/model.ts'
import { reasonOf } from '../ports/reason-of.ts'
import { RuntimeError } from '../ports/runtime-error.ts'

/** Makes vectors of texts, by the host's embedding model. */
export interface Embedder {
  /** Vector of a text that is kept. @throws {RuntimeError} `model_error`; the reason of an aborted signal. */
  embedText(text: string, signal?: AbortSignal): Promise<Embedded>
  /** Vector of a question; undefined when the model fails: a search by words alone is better than none. */
  embedQuestion(text: string, signal?: AbortSignal): Promise<Embedded | undefined>
}

/** Longest that a text takes, in milliseconds: a model on this machine may have to be loaded. */
const maxTextMs = 60_000
/** Longest that a question takes: somebody waits for what words find. */
const maxQuestionMs = 10_000

/** @param logger Told of questions that were asked by words only. */
export function createEmbedder(model: EmbeddingModel, logger: Logger): Embedder {
  const embeddingModel = `${model.provider}/${model.modelId}`

  async function embed(text: string, withinMs: number, signal?: AbortSignal): Promise<Embedded> {
    let given: readonly number[] | undefined
    try {
      const ask = (abortSignal: AbortSignal) => model.doEmbed({ values: [text.toWellFormed()], abortSignal })
      const answer = await within(ask, withinMs, signal)
      given = answer.embeddings[0]
    } catch (cause) {
      signal?.throwIfAborted()
      throw new RuntimeError(
        'model_error',
        `Embedding text failed: the call of the model ${model.modelId} failed, see the cause. Try again.`,
        {
          cause,
          retryable: true,
        },
      )
    }
    // what is kept is less precise: a large number would become none
    const embedding = given?.every(Number.isFinite) ? Float32Array.from(given) : undefined
    if (embedding && embedding.length > 0 && embedding.every(Number.isFinite))
      return { embedding, embeddingModel }
    throw new RuntimeError(
      'model_error',
      `Embedding text failed: the response of the model ${model.modelId} has no valid vector. Use another embedding model.`,
    )
  }

  return {
    embedText: (text, signal) => embed(text, maxTextMs, signal),
    async embedQuestion(text, signal) {
      try {
        return await embed(text, maxQuestionMs, signal)
      } catch (error) {
        signal?.throwIfAborted()
        logger.warn('Calling the embedding model failed. Memories are searched by words only.', {
          reason: reasonOf(error),
        })
        return undefined
      }
    },
  }
}

/** Asks a model that may never answer, and may not heed its signal. */
async function within<Answer>(
  ask: (signal: AbortSignal) => PromiseLike<Answer>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error(`no response within ${ms} ms`)), ms)
  const ends = signal ? AbortSignal.any([signal, late.signal]) : late.signal
  try {
    ends.throwIfAborted()
    return await untilAborted(Promise.resolve(ask(ends)), ends)
  } finally {
    clearTimeout(timer)
    // A joined signal that is listened to is kept until it aborts: for as long as the caller's, which may be that of the host.
    late.abort()
  }
}
