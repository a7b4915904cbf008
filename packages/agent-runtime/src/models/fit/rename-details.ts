import type { JSONObject, JSONValue, LanguageModelV4Message, SharedV4ProviderOptions } from '@ai-sdk/provider'

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]

/**
 * Gives reasoning details of OpenRouter the ids that their calls have on the wire: a signature names the call that it is for.
 *
 * @param ids - ids on the wire by the stored ones, of the calls of one answer that have another there
 */
export function renameDetails(
  parts: readonly AssistantPart[],
  ids: ReadonlyMap<string, string>,
): AssistantPart[] {
  if (ids.size === 0) return [...parts]
  return parts.map((part) => {
    const data = part.type === 'reasoning' ? part.providerOptions : undefined
    const details = data?.['openrouter']?.['reasoning_details']
    if (!data || !Array.isArray(details)) return part
    const renamed = (details as readonly JSONValue[]).map((detail): JSONValue => {
      if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) return detail
      const fields = detail as JSONObject // no list, so an object
      const wire = typeof fields['id'] === 'string' ? ids.get(fields['id']) : undefined
      return wire === undefined ? fields : { ...fields, id: wire }
    })
    const providerOptions: SharedV4ProviderOptions = { ...data, openrouter: { reasoning_details: renamed } }
    return { ...part, providerOptions }
  })
}
