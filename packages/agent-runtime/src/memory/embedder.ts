import { untilAborted } from '@homeward/kit'
import type { Logger } from '../ports/logger.ts'
import type { Embedded } from '../store/ports/memory-store.ts'
import type { EmbeddingModel } from '../ports/model.ts'
import { reasonOf } from '../ports/reason-of.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { EmbeddedTexts } from './memories.ts'

/** Makes vectors of texts, by the host's embedding model. */
export interface Embedder {
  /** Vector of a text that is kept. @throws {RuntimeError} `model_error`; the reason of an aborted signal. */
  embedText(text: string, signal?: AbortSignal): Promise<Embedded>
  /** Vectors of texts, in their order, and the tokens that they have if the model says so. @throws {RuntimeError} as {@link embedText} */
  embedTexts(texts: readonly string[], signal?: AbortSignal): Promise<EmbeddedTexts>
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

  async function ask(texts: readonly string[], withinMs: number, signal?: AbortSignal) {
    const values = texts.map((text) => text.toWellFormed())
    try {
      return await within((abortSignal) => model.doEmbed({ values, abortSignal }), withinMs, signal)
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
  }

  async function embed(text: string, withinMs: number, signal?: AbortSignal): Promise<Embedded> {
    const [given] = (await ask([text], withinMs, signal)).embeddings
    // what is kept is less precise: a large number would become none
    const embedding = given?.every(Number.isFinite) ? Float32Array.from(given) : undefined
    if (embedding && embedding.length > 0 && embedding.every(Number.isFinite))
      return { embedding, embeddingModel }
    throw noVector()
  }

  const noVector = () =>
    new RuntimeError(
      'model_error',
      `Embedding text failed: the response of the model ${model.modelId} has no valid vector. Use another embedding model.`,
    )

  return {
    embedText: (text, signal) => embed(text, maxTextMs, signal),
    async embedTexts(texts, signal) {
      const size = (await model.maxEmbeddingsPerCall) ?? texts.length
      const embeddings: number[][] = []
      let tokens: number | undefined
      for (let from = 0; from < texts.length; from += size) {
        const part = texts.slice(from, from + size)
        const answer = await ask(part, maxTextMs, signal)
        const isWhole = answer.embeddings.length === part.length
        if (!isWhole || answer.embeddings.some((each) => each.length === 0 || !each.every(Number.isFinite)))
          throw noVector()
        embeddings.push(...answer.embeddings)
        if (answer.usage) tokens = (tokens ?? 0) + answer.usage.tokens
      }
      return { model: embeddingModel, embeddings, ...(tokens !== undefined && { tokens }) }
    },
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
