import type { Logger } from '../ports/logger.ts'
import type { EmbeddingModel } from '../ports/model.ts'
import { reasonOf } from '../reason-of.ts'
import { RuntimeError } from '../runtime-error.ts'

/** Makes vectors of texts, by the host's embedding model. */
export interface Embedder {
  /** Vector of a text that is kept. @throws {RuntimeError} `model_error`; the reason of an aborted signal. */
  embedText(text: string, signal?: AbortSignal): Promise<Float32Array>
  /** Vector of a question; undefined when the model fails: a search by words alone is better than none. */
  embedQuestion(text: string, signal?: AbortSignal): Promise<Float32Array | undefined>
}

/** @param logger Told of questions that were asked by words only. */
export function createEmbedder(model: EmbeddingModel, logger: Logger): Embedder {
  async function embedText(text: string, signal?: AbortSignal): Promise<Float32Array> {
    let vector: readonly number[] | undefined
    try {
      const answer = await model.doEmbed({
        values: [text.toWellFormed()],
        ...(signal && { abortSignal: signal }),
      })
      vector = answer.embeddings[0]
    } catch (cause) {
      signal?.throwIfAborted()
      throw new RuntimeError('model_error', `Embedding a text: the model ${model.modelId} failed.`, {
        cause,
        retryable: true,
      })
    }
    if (vector && vector.length > 0 && vector.every(Number.isFinite)) return Float32Array.from(vector)
    throw new RuntimeError('model_error', `Embedding a text: the model ${model.modelId} gave no vector.`)
  }

  return {
    embedText,
    async embedQuestion(text, signal) {
      try {
        return await embedText(text, signal)
      } catch (error) {
        signal?.throwIfAborted()
        logger.warn('Searching memories by words only: the embedding model failed.', {
          reason: reasonOf(error),
        })
        return undefined
      }
    },
  }
}
