import type { Agent } from '@homeward/contract/agent-platform'

/** How much a model reads and writes in one call. */
export interface ContextWindow {
  /** Tokens of the prompt and the answer together. */
  readonly tokens: number
  /** Whether the model is known to reject a call whose prompt and largest answer exceed the window together. */
  readonly limitsOutput: boolean
  /** Whether a rejection reported it. Its number may be wrong, so a prompt that cannot be made short enough is sent all the same. */
  readonly isLearned?: boolean | undefined
}

/** Context windows of models, as far as they are known. */
export interface ContextWindows {
  /** The window for calls of an agent to the model `provider/model-id`; undefined if nothing is known about it. */
  of(model: string, agent: Pick<Agent, 'context'>): Promise<ContextWindow | undefined>
  /** Keeps what providers reported in their lists of models, until the process ends. */
  note(models: readonly ListedModel[]): void
  /** Keeps what a provider's rejection says about a model, until the process ends. */
  learn(model: string, window: ContextWindow): void
}

/** A model as it is listed. */
interface ListedModel {
  /** `provider/model-id` */
  readonly id: string
  readonly context_window?: number | undefined
}

/** Options of {@link createContextWindows}. */
interface ContextWindowsOptions {
  /** Tokens of models that are not known otherwise. @default none */
  readonly configured?: () => Promise<number | undefined>
}

/** Models that are remembered; beyond them the one learned first is forgotten. */
const maxLearned = 500
/** Listed models that are remembered; further ones are ignored. */
const maxListed = 20_000
/** Smaller numbers in a list are mistakes, such as 0. */
const smallestWindow = 256

/** Smallest input limits of model families, in tokens. Everything else is configured, or learned from rejections. */
const families: readonly (readonly [RegExp, number])[] = [
  [/(?:^|\/)claude-/, 200_000],
  [/(?:^|\/)gemini-/, 1_000_000],
  [/(?:^|\/)gpt-4\.1/, 1_000_000],
  [/(?:^|\/)(?:chatgpt-|gpt-4o|gpt-4-turbo|gpt-5[^/]*-chat)/, 128_000],
  [/(?:^|\/)o[134](?:-|$)/, 200_000],
  [/(?:^|\/)gpt-[5-9]/, 272_000],
]

const familyWindow = (model: string) => families.find(([names]) => names.test(model))?.[1]

/**
 * Knows context windows: as the agent says (`context.window_tokens`), as the provider lists it, of the model's family, or as
 * configured, the first of them. A smaller window that a rejection reported wins over all of them.
 */
export function createContextWindows({ configured }: ContextWindowsOptions = {}): ContextWindows {
  const listed = new Map<string, number>()
  const learned = new Map<string, ContextWindow>()
  return {
    async of(model, { context }) {
      const told =
        context?.window_tokens ?? listed.get(model) ?? familyWindow(model) ?? (await configured?.())
      const found = learned.get(model)
      if (told === undefined) return found
      if (found && found.tokens < told) return found
      return { tokens: told, limitsOutput: found?.limitsOutput ?? false }
    },
    note(models) {
      for (const { id, context_window: tokens = 0 } of models) {
        if (tokens >= smallestWindow && (listed.size < maxListed || listed.has(id))) listed.set(id, tokens)
      }
    },
    learn(model, { tokens, limitsOutput }) {
      const known = learned.get(model)
      learned.delete(model)
      learned.set(model, {
        tokens: Math.min(tokens, known?.tokens ?? tokens),
        limitsOutput: limitsOutput || (known?.limitsOutput ?? false),
        isLearned: true,
      })
      const [oldest] = learned.keys()
      if (learned.size > maxLearned && oldest !== undefined) learned.delete(oldest)
    },
  }
}
