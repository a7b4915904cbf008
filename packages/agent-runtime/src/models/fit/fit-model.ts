import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { changeFiles } from '../../files/prompt-files.ts'
import type { Model } from '../../ports/model.ts'
import { fitCall, type FittedCall } from './fit-call.ts'
import { ownReasoning } from './fit-messages.ts'
import { ownHosted } from './hosted-parts.ts'
import { setRules, type WireRules } from './wire-rules.ts'

/**
 * A model whose calls are fitted to its provider, whoever makes them, and whose answers come back under the names that tools
 * have here.
 */
export function fitModel(given: Model, rules: WireRules): Model {
  const model = withV3Files(given)
  const fitted: Model = {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    async doGenerate(options: LanguageModelV4CallOptions) {
      const call = fitCall(options, rules)
      const answer = await model.doGenerate(call.options)
      const content = answer.content.map((part) => {
        return part.type === 'tool-call' ? { ...part, input: call.restore(part.toolName, part.input) } : part
      })
      return { ...answer, content }
    },
    async doStream(options: LanguageModelV4CallOptions) {
      const call = fitCall(options, rules)
      const answer = await model.doStream(call.options)
      // Most answers need nothing: their parts pass no further stream.
      if (!call.hasRenamed && rules.reasoning !== 'latest' && call.owner === undefined) return answer
      return { ...answer, stream: answer.stream.pipeThrough(restoring(call.restore, rules, call.owner)) }
    },
  }
  return setRules(fitted, rules)
}

/** A host's model may be of specification v3, whatever its type says: there files look different. */
function withV3Files(model: Model): Model {
  const version: string = model.specificationVersion
  if (version !== 'v3') return model
  const toV3 = (options: LanguageModelV4CallOptions) => ({ ...options, prompt: toV3Files(options.prompt) })
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: async (options) => model.doGenerate(toV3(options)),
    async doStream(options) {
      const answer = await model.doStream(toV3(options))
      const transform = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
        transform: (part, controller) => controller.enqueue(fromV3File(part)),
      })
      return { ...answer, stream: answer.stream.pipeThrough(transform) }
    },
  }
}

// not the call: it holds the whole prompt, with its files
function restoring(restore: FittedCall['restore'], rules: WireRules, owner: string | undefined) {
  return new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
    transform(part, controller) {
      const isHosted = part.type === 'tool-result' || (part.type === 'tool-call' && part.providerExecuted)
      if (isHosted && owner !== undefined) {
        controller.enqueue({ ...part, providerMetadata: { ...part.providerMetadata, ...ownHosted(owner) } })
      } else if (part.type === 'tool-call') {
        controller.enqueue({ ...part, input: restore(part.toolName, part.input) })
      } else if (part.type === 'reasoning-start' && !part.providerMetadata && rules.reasoning === 'latest') {
        controller.enqueue({ ...part, providerMetadata: ownReasoning(rules.provider) })
      } else controller.enqueue(part)
    },
  })
}

/**
 * The same prompt with its files as models of specification v3 read them: the bytes without a tag, and `file-data` in results
 * of tools. Everything else is alike in v3 and v4.
 */
function toV3Files(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return changeFiles(prompt, (part, role) => {
    if (part.data.type !== 'data') return part
    const { data } = part.data
    if (role !== 'tool') return asV4({ ...part, data })
    const base64 = typeof data === 'string' ? data : Buffer.from(data).toString('base64')
    return asV4({ ...part, type: 'file-data', data: base64 })
  })
}

/** A file that a model of specification v3 made, as v4 has it. */
function fromV3File(part: LanguageModelV4StreamPart): LanguageModelV4StreamPart {
  if (part.type !== 'file') return part
  const data: unknown = part.data
  return typeof data === 'string' || data instanceof Uint8Array
    ? { ...part, data: { type: 'data', data } }
    : part
}

/** Only a model of v3 gets the part. */
const asV4 = (part: object) => part as unknown as LanguageModelV4FilePart
