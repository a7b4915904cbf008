import type { EmbeddingModelV4, LanguageModelV4 } from '@ai-sdk/provider'

/** A language model of the AI SDK's provider interface (A21). */
export type Model = LanguageModelV4
/** An embedding model of the AI SDK's provider interface. */
export type EmbeddingModel = EmbeddingModelV4

/** Gives a model by its id, as written behind `provider/`. */
export type ModelProvider = (modelId: string) => Model | Promise<Model>
