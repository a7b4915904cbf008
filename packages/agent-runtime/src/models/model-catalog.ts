import type { ModelList, ModelProviderInput, ModelProviderView } from '@homeward/contract/agent-platform'

/** Model providers and their models. */
export interface ModelCatalog {
  /**
   * Lists the models of all providers, with a time limit of five seconds.
   *
   * Built-in providers are included if they have a key. Providers that could not be reached are in `problems`; models
   * that the operator listed are always included.
   *
   * @throws the reason of `signal`
   */
  list(signal?: AbortSignal): Promise<ModelList>
  /** Lists the providers, built-in ones first. Keys are not returned. Providers of your app are not listed. */
  listProviders(): Promise<ModelProviderView[]>
  /**
   * Adds or replaces a provider. Later runs use it as `<name>/<model id>`. An absent key or list of models keeps its
   * value.
   *
   * @throws {RuntimeError} `conflict` for the name of a built-in provider or of one of your app, `validation_error`
   * for an invalid input, or if there would be more than 50.
   * @example
   * await runtime.models.saveProvider('ollama', { api: 'openai-chat', base_url: 'http://127.0.0.1:11434/v1' })
   */
  saveProvider(name: string, input: ModelProviderInput): Promise<ModelProviderView>
  /**
   * Deletes a provider.
   *
   * @throws {RuntimeError} `not_found`, and `conflict` for the name of a built-in provider or of one of your app
   */
  deleteProvider(name: string): Promise<void>
}
