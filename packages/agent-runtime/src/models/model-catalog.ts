import type { ModelList, ModelProviderInput, ModelProviderView } from '@homeward/contract/agent-platform'

/** Model providers, and what they offer (A21). */
export interface ModelCatalog {
  /**
   * Asks the providers for their models: all at once, for at most five seconds. Built-in providers are asked if they
   * have a key. Providers that could not be asked are in `problems`; the models that the operator listed are there anyway.
   *
   * @throws the reason of `signal`
   */
  list(signal?: AbortSignal): Promise<ModelList>
  /** The providers, the built-in ones first. Keys are not returned. Providers of your app are not listed. */
  listProviders(): Promise<ModelProviderView[]>
  /**
   * Adds or replaces a provider. Runs that start from now on use it as `<name>/<model id>`. Its key and its list of
   * models stay as they are if the input leaves them out.
   *
   * @throws {RuntimeError} `conflict` for the name of a built-in provider or of the host's own, `validation_error` for
   *   an input that cannot be used, or if there would be more than 50.
   * @example
   * await runtime.models.saveProvider('ollama', { api: 'openai-chat', base_url: 'http://127.0.0.1:11434/v1' })
   */
  saveProvider(name: string, input: ModelProviderInput): Promise<ModelProviderView>
  /** @throws {RuntimeError} `not_found`, and `conflict` for the name of a built-in provider or of the host's own */
  deleteProvider(name: string): Promise<void>
}
