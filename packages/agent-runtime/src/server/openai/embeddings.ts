import type { EmbeddingList, EmbeddingRequest } from '@homeward/contract/agent-platform'
import { HttpError } from '@homeward/contract/handler'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { PlatformContext } from '../platform-context.ts'
import { invalidField } from './openai-errors.ts'

/** Vectors of texts, as the OpenAI API gives them. @throws {HttpError} 501 without an embedding model */
export async function createEmbedding(
  { services }: PlatformContext,
  { input, encoding_format: format, dimensions }: EmbeddingRequest,
  signal: AbortSignal,
): Promise<EmbeddingList> {
  const texts = typeof input === 'string' ? [input] : input
  const { model, embeddings, tokens = 0 } = await services.memory.embed(texts, signal).catch(toMissing)
  const size = embeddings[0]?.length ?? 0
  if (dimensions !== undefined && dimensions !== size)
    throw invalidField('dimensions', `the vectors of the model have ${size}. Leave the field out.`)
  const data = embeddings.map((vector, index) => ({
    object: 'embedding' as const,
    index,
    embedding: format === 'base64' ? toBase64(vector) : [...vector],
  }))
  return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } }
}

function toMissing(error: unknown): never {
  if (!RuntimeError.is(error) || error.code !== 'model_not_configured') throw error
  const body = { error: 'Not implemented', message: error.message }
  // the official clients repeat requests with this status, and nothing will have changed
  throw new HttpError(501, body, { 'x-should-retry': 'false' })
}

function toBase64(vector: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(vector.length * 4))
  for (const [index, value] of vector.entries()) view.setFloat32(index * 4, value, true)
  return Buffer.from(view.buffer).toString('base64')
}
