import type { EmbeddingModelV4, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider'

/** A language model of the AI SDK's provider interface. */
export type Model = LanguageModelV4
/** An embedding model of the AI SDK's provider interface. */
export type EmbeddingModel = EmbeddingModelV4

/** A model of the current AI SDK, or of the previous one (specification v3). Only features of both are used. */
export type ProvidedModel = Model | LanguageModelV3

/** Returns a model by its id, the part after `provider/`. */
export type ModelProvider = (modelId: string) => ProvidedModel | Promise<ProvidedModel>
