import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Model } from '../../ports/model.ts'
import { fitCall, type FittedCall } from './fit-call.ts'
import { hostedOwner } from '../hosted-tools.ts'
import { ownHosted } from './hosted-parts.ts'
import { ownReasoning } from './reasoning-owner.ts'
import { setRules } from './rules-of.ts'
import { fromV3File, toV3Files } from './v3-files.ts'
import type { WireRules } from './wire-rules.ts'

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
      const owner = hostedOwner(options)
      if (!call.hasRenamed && rules.reasoning !== 'latest' && owner === undefined) return answer
      return { ...answer, stream: answer.stream.pipeThrough(restoring(call.restore, rules, owner)) }
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
