import type { SharedV4ProviderMetadata } from '@ai-sdk/provider'

/** Key under which the runtime notes who wrote reasoning that has no data of its provider. Never sent. */
const ownKey = 'homeward'

/** The provider that wrote a part, as {@link ownReasoning} noted it. */
export function reasoningOwner(data: SharedV4ProviderMetadata | undefined): string | undefined {
  const provider = data?.[ownKey]?.['provider']
  return typeof provider === 'string' ? provider : undefined
}

/** What is stored with reasoning that has no data of its provider, so that it goes back to nobody else. */
export const ownReasoning = (provider: string): SharedV4ProviderMetadata => ({ [ownKey]: { provider } })
