import type { EmbeddingModel } from '../ports/model.ts'
import { RuntimeError } from '../runtime-error.ts'

/** Vector of a text. @throws {RuntimeError} `model_error`; the reason of an aborted signal. */
export async function embedText(
  model: EmbeddingModel,
  text: string,
  signal?: AbortSignal,
): Promise<Float32Array> {
  let vector: readonly number[] | undefined
  try {
    const answer = await model.doEmbed({ values: [text], ...(signal && { abortSignal: signal }) })
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
