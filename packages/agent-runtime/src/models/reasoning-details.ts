import type {
  JSONObject,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import type { MetadataExtractor } from '@ai-sdk/openai-compatible'
import type { Model } from '../ports/model.ts'

/** The provider's name in stored data, and the field on the wire. */
const owner = 'openrouter'
const field = 'reasoning_details'

/** Id of the block that carries the details in a stream. */
const blockId = 'openrouter-details'

/** Collects the reasoning details of an answer: signatures and encrypted thoughts that have to go back unread. */
export const reasoningDetails: MetadataExtractor = {
  async extractMetadata({ parsedBody }) {
    const message = firstChoice(parsedBody)?.['message']
    return toMetadata(isObject(message) ? objectsIn(message[field]) : [])
  },
  createStreamExtractor() {
    const found: JSONObject[] = []
    return {
      processChunk(chunk) {
        const delta = firstChoice(chunk)?.['delta']
        if (isObject(delta)) for (const detail of objectsIn(delta[field])) addDetail(found, detail)
      },
      buildMetadata: () => toMetadata(found),
    }
  },
}

/** A model of OpenRouter that keeps the reasoning details of its answers with them, and sends them back. */
export function keepReasoningDetails(model: Model): Model {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    async doGenerate(options: LanguageModelV4CallOptions) {
      const answer = await model.doGenerate(withDetails(options))
      const data = detailsOf(answer.providerMetadata)
      if (!data) return answer
      return {
        ...answer,
        content: [{ type: 'reasoning', text: '', providerMetadata: data }, ...answer.content],
      }
    },
    async doStream(options: LanguageModelV4CallOptions) {
      const answer = await model.doStream(withDetails(options))
      return { ...answer, stream: answer.stream.pipeThrough(carryingDetails()) }
    },
  }
}

/** The details are whole at the end only, but belong before what they led to: a block for them is open from the beginning. */
function carryingDetails() {
  let isOpen = false
  return new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
    transform(part, controller) {
      if (!isOpen && part.type !== 'stream-start') {
        isOpen = true
        controller.enqueue({ type: 'reasoning-start', id: blockId })
      }
      const data = part.type === 'finish' ? detailsOf(part.providerMetadata) : undefined
      if (part.type === 'finish') {
        controller.enqueue({ type: 'reasoning-end', id: blockId, ...(data && { providerMetadata: data }) })
      }
      controller.enqueue(part)
    },
  })
}

/** Puts the details of each answer where the package copies them into the message from. */
function withDetails(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const prompt = options.prompt.map((message): LanguageModelV4Message => {
    if (message.role !== 'assistant') return message
    const details = message.content.flatMap((part) => objectsIn(part.providerOptions?.[owner]?.[field]))
    if (details.length === 0) return message
    return {
      ...message,
      content: message.content.filter(({ type }) => type !== 'reasoning'),
      providerOptions: { openaiCompatible: { [field]: details } },
    }
  })
  return { ...options, prompt }
}

/** Adds a piece: text of one thought comes in many, its signature in the last of them. */
function addDetail(found: JSONObject[], detail: JSONObject): void {
  const last = found.at(-1)
  const grows = last && last['type'] === detail['type'] && last['index'] === detail['index']
  const key = detail['type'] === 'reasoning.text' ? 'text' : 'summary'
  if (!grows || detail['type'] === 'reasoning.encrypted') found.push({ ...detail })
  else {
    const told = Object.entries(detail).filter(([, value]) => value !== null && value !== undefined)
    const text = [last[key], detail[key]].filter((piece) => typeof piece === 'string').join('')
    found[found.length - 1] = { ...last, ...Object.fromEntries(told), [key]: text }
  }
}

const toMetadata = (details: readonly JSONObject[]): SharedV4ProviderMetadata | undefined =>
  details.length > 0 ? { [owner]: { [field]: [...details] } } : undefined

function detailsOf(metadata: SharedV4ProviderMetadata | undefined): SharedV4ProviderMetadata | undefined {
  return toMetadata(objectsIn(metadata?.[owner]?.[field]))
}

function firstChoice(body: unknown): Record<string, unknown> | undefined {
  const choices = isObject(body) ? body['choices'] : undefined
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined
  return isObject(first) ? first : undefined
}

const objectsIn = (value: unknown): JSONObject[] =>
  Array.isArray(value) ? value.filter((item): item is JSONObject => isObject(item)) : []

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
