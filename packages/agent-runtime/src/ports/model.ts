import type { EmbeddingModelV4, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider'

/** A language model of the AI SDK's provider interface (A21). */
export type Model = LanguageModelV4
/** An embedding model of the AI SDK's provider interface. */
export type EmbeddingModel = EmbeddingModelV4

/** One of the current AI SDK, or of the one before (specification v3): of v4 only what both have is used. */
export type ProvidedModel = Model | LanguageModelV3

/** Gives a model by its id, as written behind `provider/`. */
export type ModelProvider = (modelId: string) => ProvidedModel | Promise<ProvidedModel>
