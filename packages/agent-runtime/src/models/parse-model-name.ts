import { RuntimeError } from '../ports/runtime-error.ts'

/** Where a model's name leads. */
export interface ModelName {
  readonly provider: string
  readonly modelId: string
}

/**
 * Reads `provider/model-id`, or a bare id with its provider (A3).
 *
 * With `provider`, a name that starts with it is not taken to repeat it only when that leaves no id:
 * `('openai/gpt-5', 'openai')` is `gpt-5` of openai, `('meta/llama', 'openrouter')` is `meta/llama` of openrouter.
 *
 * @param known Providers that there are, to tell whoever left it out.
 * @throws {RuntimeError} `validation_error` when there is no provider or no id.
 */
export function parseModelName(
  name: string,
  provider: string | undefined,
  known: readonly string[],
): ModelName {
  const trimmed = name.trim()
  if (provider) {
    const prefix = `${provider}/`
    const modelId = trimmed.startsWith(prefix) ? trimmed.slice(prefix.length) : trimmed
    if (modelId) return { provider, modelId }
  }
  const slash = trimmed.indexOf('/')
  if (slash <= 0 || slash === trimmed.length - 1) {
    throw new RuntimeError(
      'validation_error',
      `Choosing the model failed: "${shown(trimmed)}" has no provider. Use the form "provider/model-id", or set "provider" ` +
        `of the agent. Providers: ${known.join(', ')}.`,
    )
  }
  return { provider: trimmed.slice(0, slash), modelId: trimmed.slice(slash + 1) }
}

const shown = (name: string) => (name.length > 100 ? `${name.slice(0, 100)}…` : name)
