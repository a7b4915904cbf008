import OpenAI from 'openai'
import { expect, it } from 'vitest'
import type { EmbeddingModel } from '../../ports/model.ts'
import { startPlatform } from '../testing/start-platform.ts'

/** A vector says how long its text is. */
const lengths: EmbeddingModel = {
  specificationVersion: 'v4',
  provider: 'test',
  modelId: 'lengths',
  maxEmbeddingsPerCall: 2,
  supportsParallelCalls: true,
  doEmbed: async ({ values }) => ({
    embeddings: values.map((text) => [text.length, 0.5]),
    usage: { tokens: values.length },
    warnings: [],
  }),
}

const clientOf = (url: string) =>
  new OpenAI({ apiKey: 'any', baseURL: `${url}/v1`, maxRetries: 0 }).embeddings

it('makes vectors of texts in their order, for the official client', async () => {
  await using platform = await startPlatform('over HTTP', { embeddingModel: lengths })
  const embeddings = clientOf(platform.url)
  const input = ['a', 'bb', 'ccc']
  for (const encoding_format of [undefined, 'float', 'base64'] as const) {
    const list = await embeddings.create({ model: 'any', input, ...(encoding_format && { encoding_format }) })
    expect(list).toMatchObject({ model: 'test/lengths', usage: { prompt_tokens: 3, total_tokens: 3 } })
    const vectors = list.data.map(({ embedding }) =>
      typeof embedding === 'string'
        ? [...new Float32Array(Uint8Array.from(Buffer.from(embedding, 'base64')).buffer)]
        : embedding,
    )
    expect(vectors).toEqual([
      [1, 0.5],
      [2, 0.5],
      [3, 0.5],
    ])
  }
  await expect(embeddings.create({ model: 'any', input: 'a', dimensions: 3 })).rejects.toMatchObject({
    status: 400,
    param: 'dimensions',
  })
  await expect(embeddings.create({ model: 'any', input: [1, 2] })).rejects.toMatchObject({
    status: 400,
    param: 'input',
  })
})

it('is 501 without an embedding model', async () => {
  await using platform = await startPlatform('over HTTP')
  await expect(clientOf(platform.url).create({ model: 'any', input: 'a' })).rejects.toMatchObject({
    status: 501,
    message: expect.stringContaining('embeddingModel'),
  })
})
